import type { FastifyInstance } from 'fastify'
import { firstKeys } from './request-span.ts'

/** Writes a line for each request when it has been answered; `log.requests`. */
export function addRequestLog(app: FastifyInstance): void {
  app.addHook('onRequest', ({ exchange }, _reply, done) => {
    // Cached for the line: Node.js does not know it any more when the client has left.
    void exchange.address
    done()
  })
  app.endHooks.push(({ method, exchange }, _reply, status) => {
    const { address, arrivedAt, tokenId, namespaceKeys, flagKeys, request } = exchange
    const line = {
      ...exchange.logFields,
      method,
      route: request.route,
      status,
      durationMs: Math.round((performance.now() - arrivedAt) * 10) / 10,
      address,
      tokenId,
      namespaces: namespaceKeys && firstKeys(namespaceKeys),
      flags: flagKeys && firstKeys(flagKeys()),
    }
    app.log.info(line, 'answered')
  })
}
