import type { IncomingMessage } from 'node:http'
import type { FastifyInstance } from 'fastify'
import { addBodyParser } from './body.ts'
import { endWhenClosing, endWhenStalled } from './closing.ts'
import { dropUnanswered } from './connection-limit.ts'
import { apiHeaders } from './headers.ts'
import { type ErrorBodyOf, sendError } from './reply.ts'
import { addRequestChecks, maxHeaders } from './request-checks.ts'
import { addUnmatched } from './unmatched.ts'

/** Each takes a file descriptor and some memory. */
const usualMaxConnections = 10_000

/** Looks at an error before it becomes an answer: may replace it, and set headers of the answer. */
export type OnError = (
  error: Error,
  request: IncomingMessage,
  setHeader: (name: string, value: string) => void,
) => Error

export interface EdgeOptions {
  /** What every answer carries. */
  readonly headers?: Readonly<Record<string, string>>
  /** Connections at a time; further ones take the place of {@link dropUnanswered unused ones}. */
  readonly maxConnections?: number
  /** Longest time in which a client takes nothing of an answer, in milliseconds. */
  readonly stalledMs?: number
  readonly onError?: OnError
  readonly errorBodyOf?: ErrorBodyOf
}

/** What holds for every route of the gateway. Comes before the first of them. */
export function addEdge(app: FastifyInstance, options: EdgeOptions = {}): void {
  const { headers = apiHeaders, maxConnections = usualMaxConnections, stalledMs } = options
  const { onError = (error: Error) => error, errorBodyOf = () => undefined } = options
  app.server.maxHeadersCount = maxHeaders
  dropUnanswered(app.server, maxConnections)
  app.setErrorHandler((error: Error, request, reply) => {
    const setHeader = (name: string, value: string) => void reply.header(name, value)
    const known = onError(error, request.raw, setHeader)
    sendError(known, request, reply, errorBodyOf(request))
  })
  app.addHook('onRequest', (request, reply, done) => {
    reply.headers(headers).header('x-request-id', request.id)
    done()
  })
  app.addHook('onSend', ({ raw }, _reply, payload, done) => {
    endWhenStalled(raw.socket, stalledMs)
    done(null, payload)
  })
  addBodyParser(app)
  addRequestChecks(app)
  addUnmatched(app)
  endWhenClosing(app)
}
