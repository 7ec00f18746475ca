import type { FastifyInstance } from 'fastify'
import { addBodyParser } from './body.ts'
import { sendError } from './errors.ts'
import { apiHeaders } from './headers.ts'
import { endIdleConnections } from './idle-connections.ts'
import { addRequestChecks } from './request-checks.ts'
import { addUnmatched } from './unmatched.ts'

/** Above what browsers, proxies and clients send together. Node.js leaves further ones out. */
const maxHeaders = 100

/** Each takes a file descriptor and some memory; further ones are closed at once. */
const maxConnections = 10_000

/** What holds for every route of the gateway. Comes before the first of them. */
export function addEdge(app: FastifyInstance): void {
  app.server.maxHeadersCount = maxHeaders
  app.server.maxConnections = maxConnections
  app.setErrorHandler(sendError)
  app.addHook('onRequest', (request, reply, done) => {
    reply.headers(apiHeaders).header('x-request-id', request.id)
    done()
  })
  addBodyParser(app)
  addRequestChecks(app)
  addUnmatched(app)
  endIdleConnections(app)
}
