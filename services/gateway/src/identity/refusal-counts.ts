import { networkOf } from '@svc/access'
import type { Refusal } from '@svc/proto/auth/v1/identities'

/** Maximum refusals of a report that are told apart; one besides stands for all others. */
const maxRefusals = 999

/** A request that was refused. */
export type RefusedRequest = Omit<Refusal, 'count' | 'isOther'>

/** Counts refused requests by caller, route and reason until they are reported. */
export class RefusalCounts {
  readonly #report: (refusals: Refusal[]) => Promise<unknown>
  #counts = new Map<string, Refusal>()
  #others = 0

  constructor(report: (refusals: Refusal[]) => Promise<unknown>) {
    this.#report = report
  }

  note(request: RefusedRequest): void {
    // Of a caller that is not known: one with IPv6 has as many addresses as it likes.
    const address = request.principal === '' ? networkOf(request.address) : request.address
    this.#add({ ...request, address, count: 1, isOther: false })
  }

  /** Reports what was counted since the last time; what cannot be reported is kept for the next. */
  async report(): Promise<void> {
    const counts = [...this.#counts.values()]
    const others = this.#others
    this.#counts = new Map()
    this.#others = 0
    const refusals = others === 0 ? counts : [...counts, { ...noOthers, count: others }]
    if (refusals.length === 0) return
    try {
      await this.#report(refusals)
    } catch (error) {
      for (const refusal of counts) this.#add(refusal)
      this.#others += others
      throw error
    }
  }

  #add(refusal: Refusal): void {
    const { principal, address, route, reason, status } = refusal
    const key = JSON.stringify([principal, principal === '' && address, route, reason, status])
    const known = this.#counts.get(key)
    if (known !== undefined) {
      this.#counts.set(key, { ...refusal, count: known.count + refusal.count })
    } else if (this.#counts.size < maxRefusals) this.#counts.set(key, refusal)
    else this.#others += refusal.count
  }
}

/** What stands for refusals that are not told apart. */
const noOthers: Refusal = {
  principal: '',
  address: '',
  route: '',
  reason: 'other',
  status: 0,
  count: 0,
  isOther: true,
}
