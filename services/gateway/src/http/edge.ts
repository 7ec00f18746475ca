import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { addBodyParser } from './body.ts'
import { dropUnanswered } from './connection-limit.ts'
import { sendError } from './errors.ts'
import { apiHeaders } from './headers.ts'
import { endIdleConnections } from './idle-connections.ts'
import { addRequestChecks, maxHeaders } from './request-checks.ts'
import { addUnmatched } from './unmatched.ts'

/** Each takes a file descriptor and some memory. */
const usualMaxConnections = 10_000

export interface EdgeOptions {
  /** What every answer carries. */
  readonly headers?: Readonly<Record<string, string>>
  /** Looks at an error before it becomes an answer, and may put another in its place. */
  /** Connections at a time; further ones take the place of {@link dropUnanswered unused ones}. */
  readonly maxConnections?: number
  readonly onError?: (error: Error, request: FastifyRequest, reply: FastifyReply) => Error
}

/** What holds for every route of the gateway. Comes before the first of them. */
export function addEdge(app: FastifyInstance, options: EdgeOptions = {}): void {
  const { headers = apiHeaders, maxConnections = usualMaxConnections } = options
  const { onError = (error: Error) => error } = options
  app.server.maxHeadersCount = maxHeaders
  dropUnanswered(app.server, maxConnections)
  app.setErrorHandler((error: Error, request, reply) =>
    sendError(onError(error, request, reply), request, reply),
  )
  app.addHook('onRequest', (request, reply, done) => {
    reply.headers(headers).header('x-request-id', request.id)
    done()
  })
  addBodyParser(app)
  addRequestChecks(app)
  addUnmatched(app)
  endIdleConnections(app)
}
