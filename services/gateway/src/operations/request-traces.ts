import type { Operation } from '@svc/contract'
import type { Identity } from '@svc/proto/auth/v1/identities'
import { type Context, isSampled, isTracing, startSpan, unsampled, within } from '@svc/telemetry'
import { type Exchange, sentContext } from '../http/exchange.ts'

/** Limits how many traces begin in any second. */
export class TraceLimiter {
  readonly #perSecond: number
  readonly #now: () => number
  #second = Number.NaN
  #begun = 0

  /** @param now a clock that never goes back, in milliseconds */
  constructor(perSecond: number, now = () => performance.now()) {
    this.#perSecond = perSecond
    this.#now = now
  }

  tryBegin(): boolean {
    const second = Math.floor(this.#now() / 1000)
    if (second !== this.#second) {
      this.#second = second
      this.#begun = 0
    }
    if (this.#begun >= this.#perSecond) return false
    this.#begun += 1
    return true
  }
}

/**
 * Decides which requests are recorded, and puts each into its context. What calls a service is recorded by this
 * gateway's own decision. What is answered from memory is only when an authenticated caller records its own
 * trace. A caller that does not record its trace is not recorded.
 */
export class RequestTraces {
  readonly #own: TraceLimiter
  readonly #asked: TraceLimiter

  /** @param perSecond traces by this gateway's decision, and as many by that of callers */
  constructor(perSecond: number) {
    this.#own = new TraceLimiter(perSecond)
    this.#asked = new TraceLimiter(perSecond)
  }

  /** Runs the steps of a request, from before its caller is known. */
  begin<T>(exchange: Exchange, operation: Operation, work: () => T): T {
    const isAnsweredHere = operation.route.answeredBy === 'GATEWAY'
    if (isAnsweredHere) {
      if (isTracing()) exchange.startedAt = performance.now()
      return work()
    }
    const sent = sentContext(exchange.request)
    const isWanted = exchange.request.raw.headers.traceparent === undefined || isSampled(sent)
    if (isTracing() && isWanted && this.#own.tryBegin()) {
      return this.#record(exchange, sent, work)
    }
    exchange.context = unsampled(sent)
    return within(exchange.context, work)
  }

  /** Runs the steps after its caller is known. A stream is not recorded: it lasts as long as its client likes. */
  identified<T>(
    exchange: Exchange,
    operation: Operation,
    caller: Identity | undefined,
    work: () => T,
  ): T {
    const isKnown = caller?.authentication !== undefined
    const isSent = exchange.request.raw.headers.traceparent !== undefined
    const isWanted = isKnown && isSent && !operation.isStream
    if (!isTracing() || !isWanted || exchange.span !== undefined) return work()
    const sent = sentContext(exchange.request)
    if (!isSampled(sent) || !this.#asked.tryBegin()) return work()
    return this.#record(exchange, sent, work)
  }

  #record<T>(exchange: Exchange, sent: Context, work: () => T): T {
    const { request, startedAt } = exchange
    const method = request.raw.method ?? ''
    const begun = startSpan(
      {
        name: `${method} ${request.route}`,
        kind: 'server',
        // Neither the path nor the query: a caller may put anything there.
        attributes: {
          'http.request.method': method,
          'http.route': request.route,
          'svc.request_id': request.id,
        },
        ...(startedAt !== undefined && { startedAt }),
      },
      sent,
    )
    exchange.span = begun.span
    exchange.context = begun.context
    return within(begun.context, work)
  }
}
