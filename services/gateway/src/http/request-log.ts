import { isKey } from '@svc/contract'
import type { FastifyInstance } from 'fastify'

/** Maximum keys in a line: of a batch only the first are named. */
const maxKeys = 10

/** Writes a line for each request when it has been answered; `log.requests`. */
export function addRequestLog(app: FastifyInstance): void {
  app.addHook('onRequest', ({ exchange }, _reply, done) => {
    // Cached for the line: Node.js does not know it any more when the client has left.
    void exchange.address
    done()
  })
  app.addHook('onResponse', async ({ log, method, exchange }, reply) => {
    const { address, tokenId, namespaceKeys, flagKeys, request } = exchange
    const line = {
      method,
      route: request.route,
      status: reply.statusCode,
      durationMs: Math.round(reply.elapsedTime * 10) / 10,
      address,
      tokenId,
      namespaces: named(namespaceKeys),
      flags: named(flagKeys?.()),
    }
    log.info(line, 'answered')
  })
}

/** A text that cannot be a key is left out: it may be anything. */
function named(keys: readonly string[] | undefined): readonly string[] | undefined {
  return keys && [...new Set(keys.filter(isKey))].slice(0, maxKeys)
}
