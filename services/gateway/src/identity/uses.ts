import type { Identity, Use } from '@svc/proto/auth/v1/identities'

/** How often uses are reported, in milliseconds: what auth writes is one row for each token in use. */
export const reportIntervalMs = 60_000

/** Maximum tokens in memory. Beyond that, uses are not counted until the next report. */
const maxTokens = 50_000

/** What auth writes at once. */
const batchSize = 1000

interface Count {
  count: number
  lastUsedAt: number
  lastAddress: string
}

/** Counts the uses of tokens until they are reported. The process loses what was counted since. */
export class Uses {
  readonly #report: (uses: Use[]) => Promise<unknown>
  readonly #now: () => number
  #counts = new Map<string, Count>()

  constructor(report: (uses: Use[]) => Promise<unknown>, now = () => performance.now()) {
    this.#report = report
    this.#now = now
  }

  note({ authentication }: Identity, lastAddress: string): void {
    const id = authentication?.id ?? ''
    const known = this.#counts.get(id)
    const lastUsedAt = this.#now()
    if (known !== undefined) {
      known.count++
      known.lastUsedAt = lastUsedAt
      known.lastAddress = lastAddress
    } else if (id !== '' && this.#counts.size < maxTokens) {
      this.#counts.set(id, { count: 1, lastUsedAt, lastAddress })
    }
  }

  /** Reports what was counted since the last time; what cannot be reported is kept for the next. */
  async report(): Promise<void> {
    const counts = [...this.#counts]
    this.#counts = new Map()
    try {
      while (counts.length > 0) {
        const now = this.#now()
        const uses = counts.slice(0, batchSize).map(([authenticationId, counted]) => {
          const { count, lastUsedAt, lastAddress } = counted
          const lastUsedMsAgo = Math.max(0, Math.round(now - lastUsedAt))
          return { authenticationId, count, lastUsedMsAgo, lastAddress }
        })
        await this.#report(uses)
        counts.splice(0, batchSize)
      }
    } catch (error) {
      for (const [id, counted] of counts) {
        const later = this.#counts.get(id)
        if (later !== undefined) later.count += counted.count
        else if (this.#counts.size < maxTokens) this.#counts.set(id, counted)
      }
      throw error
    }
  }
}
