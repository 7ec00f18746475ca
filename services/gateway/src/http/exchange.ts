import type { IncomingMessage } from 'node:http'
import type { UrlValues } from '@svc/contract'
import { type Context, contextOf, logFields, type Span } from '@svc/telemetry'
import type { FastifyReply } from 'fastify'
import type { AddressOf } from './client-address.ts'

/** A request that the router or the fast path has received. */
export interface Received extends UrlValues {
  readonly raw: IncomingMessage
  readonly id: string
  /** The template of the route. */
  readonly route: string
  /** Left out until it has arrived. */
  body: Buffer | undefined
}

/** Sends the answer itself, or takes over the connection, as event streams do. */
export type TakeOver = (reply: FastifyReply) => unknown

/** What an answer has after its head: JSON, nothing, or what is sent in a way of its own. */
export type AnswerBody = string | Buffer | TakeOver | undefined

/** A request and the head of its answer, whether it came by the router or straight from the socket. */
export class Exchange {
  /** The status of the answer. */
  status = 200
  /** Headers of the answer besides those that all answers have: names and values in turn. */
  readonly headers: string[] = []
  readonly request: Received
  readonly #addressOf: AddressOf
  /** The path that a login was to lead to, when it has failed. */
  returnTo: string | undefined
  /** For the request log, like all below: the id of the caller's token. */
  tokenId: string | undefined
  /** Namespaces that the caller may use. */
  namespaceKeys: readonly string[] | undefined
  /** Makes the keys of the flags that are asked for. */
  flagKeys: (() => readonly string[]) | undefined
  /** Of its answer by the router: whether it has been made, and whether it has been measured. */
  phase: 'begun' | 'answered' | 'ended' = 'begun'
  /** By the clock of `performance`. */
  arrivedAt = performance.now()
  /** By the clock of `performance`, where spans are recorded. */
  startedAt: number | undefined
  /** What its steps run in, where they are followed into other services. */
  context: Context | undefined
  /** Where it is recorded. */
  span: Span | undefined

  constructor(request: Received, addressOf: AddressOf) {
    this.request = request
    this.#addressOf = addressOf
  }

  /** The client's; empty when it is not known. */
  get address(): string {
    return this.#addressOf(this.request.raw)
  }

  /** Whether the client has closed its connection. */
  get hasLeft(): boolean {
    return this.request.raw.socket.destroyed
  }

  /** What identifies the request in a line of the log. */
  get logFields(): Readonly<Record<string, string>> {
    return logFields(this.context ?? sentContext(this.request))
  }

  get isPretty(): boolean {
    return 'pretty' in this.request.query
  }

  setHeader(name: string, value: string): void {
    this.headers.push(name, value)
  }

  /** Sets a header that is not there yet. */
  setDefault(name: string, value: string): void {
    const isThere = this.headers.some((one, i) => i % 2 === 0 && one === name)
    if (!isThere) this.setHeader(name, value)
  }

  /** Sends the browser elsewhere, with its cookies and nothing that was for the answer before. */
  redirect(location: string): void {
    this.status = 302
    const cookies = this.headers.filter((_, i) => this.headers[i - (i % 2)] === 'set-cookie')
    this.headers.splice(0, this.headers.length, ...cookies, 'location', location)
  }
}

/** The context that a caller has sent. Node.js joins headers of one name, and of two there is then none that counts. */
export function sentContext({ raw, id: requestId }: Received): Context {
  const { traceparent, tracestate } = raw.headers
  return contextOf({
    traceparent: textOf(traceparent),
    tracestate: textOf(tracestate),
    requestId,
  })
}

const textOf = (header: string | string[] | undefined) =>
  typeof header === 'string' ? header : undefined

/** Sends an answer through Fastify, which may compress it. */
export function sendAnswer(reply: FastifyReply, exchange: Exchange, body: AnswerBody): unknown {
  const { status, headers } = exchange
  while (headers.length > 0) {
    const [name = '', value = ''] = headers.splice(0, 2)
    // It adds to what others, such as CORS, have said.
    const before = name === 'vary' ? reply.getHeader(name) : undefined
    reply.header(name, before === undefined ? value : `${before}, ${value}`)
  }
  reply.code(status)
  if (typeof body === 'function') return body(reply)
  if (body === undefined) return reply.send()
  reply.header('content-type', 'application/json')
  // Bytes, because Fastify names a character set with a text.
  return reply.send(typeof body === 'string' ? Buffer.from(body) : body)
}
