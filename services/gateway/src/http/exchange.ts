import type { IncomingMessage } from 'node:http'
import type { UrlValues } from '@svc/contract'
import type { FastifyReply } from 'fastify'
import type { AddressOf } from './client-address.ts'

/** What is known of a request when its body has arrived. */
export interface Received extends UrlValues {
  readonly raw: IncomingMessage
  readonly id: string
  /** The template of the route. */
  readonly route: string
  readonly body: Buffer | undefined
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

  constructor(request: Received, addressOf: AddressOf) {
    this.request = request
    this.#addressOf = addressOf
  }

  /** The client's; empty when it is not known. */
  get address(): string {
    return this.#addressOf(this.request.raw)
  }

  get isPretty(): boolean {
    return 'pretty' in this.request.query
  }

  setHeader(name: string, value: string): void {
    this.headers.push(name, value)
  }

  hasHeader(name: string): boolean {
    return this.headers.some((one, i) => i % 2 === 0 && one === name)
  }
}
