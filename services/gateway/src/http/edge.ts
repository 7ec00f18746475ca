import type { FastifyInstance } from 'fastify'
import { addBodyParser } from './body.ts'
import { sendError } from './errors.ts'
import { apiHeaders } from './headers.ts'
import { addRequestChecks } from './request-checks.ts'
import { addUnmatched } from './unmatched.ts'

/** What holds for every route of the gateway. Comes before the first of them. */
export function addEdge(app: FastifyInstance): void {
  app.setErrorHandler(sendError)
  app.addHook('onRequest', (request, reply, done) => {
    reply.headers(apiHeaders).header('x-request-id', request.id)
    done()
  })
  addBodyParser(app)
  addRequestChecks(app)
  addUnmatched(app)
}
