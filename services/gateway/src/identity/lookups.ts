import { networkOf } from '@svc/access'
import type { Identity } from '@svc/proto/auth/v1/identities'
import { Limiter, unavailable } from '@svc/runtime'
import { countRefused } from '@svc/telemetry'
import type { Exchange } from '../http/exchange.ts'

/** A client that presents a credential. Its address is read when its lookup is limited, and later whether it has left. */
export type Sender = Pick<Exchange, 'address'> & Partial<Pick<Exchange, 'hasLeft'>>

/** A call that asks auth about a credential. */
export interface Lookup {
  /** The hash of its token, or the ticket of a token that is not known. */
  readonly key: string
  readonly send: () => Promise<Identity>
  readonly isOfTicket: boolean
  /** Left out where there is no limit: for anonymous callers, and for streams that were accepted. */
  readonly sender: Sender | undefined
}

/**
 * Limits lookups of credentials that are not known, by the network of the client. Any text passes for
 * a token, and each takes a call, a read of Redis and a query: a replica of auth lets 10 of these run
 * and 200 wait. A lookup takes a few milliseconds, so a network may have thousands in a second.
 */
const unknownCredentials = {
  maxRunning: 64,
  maxRunningPerKey: 32,
  maxWaiting: 1000,
  maxWaitingPerKey: 500,
  maxWaitMs: 1000,
  refuse() {
    countRefused('queue')
    return unavailable('too many credentials that are not known, try again in a second')
  },
}

/** The lookups that are under way. Requests with the same credential that come at once share one. */
export class Lookups {
  /** By key; those of tickets apart, since auth vouches for the answer to a token alone. */
  readonly #pending = new Map<string, Promise<Identity>>()
  readonly #limiter = new Limiter(unknownCredentials)

  /**
   * @param isKnown a known credential is confirmed without a limit
   * @param ask sends the lookup, and keeps the answer
   * @throws {AppError} `unavailable` when too many wait, and whatever `ask` throws
   */
  run(
    { key, isOfTicket, sender }: Lookup,
    isKnown: boolean,
    ask: () => Promise<Identity>,
  ): Promise<Identity> {
    const name = isOfTicket ? `ticket ${key}` : key
    const pending = this.#pending.get(name)
    if (pending !== undefined) return pending
    const isLimited = !isKnown && sender !== undefined
    const asking = isLimited ? this.#limiter.run(networkOf(sender.address), ask) : ask()
    const answer = asking.finally(() => this.#pending.delete(name))
    this.#pending.set(name, answer)
    return answer
  }
}
