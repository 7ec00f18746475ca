import { isKey } from '@svc/contract'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { clientAddress } from './client-address.ts'

/** Of a batch only the first are named. */
const maxNamed = 10

/** What the parts of the gateway find out about a request, for its line in the log. */
export interface RequestFacts {
  /** Of the token that it came with. */
  readonly tokenId?: string
  /** Keys of namespaces that the caller may use. */
  readonly namespaces?: readonly string[]
  /** Keys of flags that are asked for. Called only when a line is written. */
  readonly flags?: () => readonly string[]
}

/** Forgotten with the request. */
const facts = new WeakMap<FastifyRequest, RequestFacts>()

/** Adds to what is known of a request. Nothing in it may be a secret, or from a caller not let through. */
export function noteFacts(request: FastifyRequest, more: RequestFacts): void {
  facts.set(request, { ...facts.get(request), ...more })
}

/** Writes a line for each request when it has been answered; `log.requests`. */
export function addRequestLog(app: FastifyInstance): void {
  const addresses = new WeakMap<FastifyRequest, string>()
  app.addHook('onRequest', (request, _reply, done) => {
    // Not known any more when the client has left.
    addresses.set(request, clientAddress(request))
    done()
  })
  app.addHook('onResponse', async (request, reply) => {
    const { tokenId, namespaces, flags } = facts.get(request) ?? {}
    request.log.info(
      {
        method: request.method,
        route: request.routeOptions.url ?? 'none',
        status: reply.statusCode,
        durationMs: Math.round(reply.elapsedTime * 10) / 10,
        address: addresses.get(request),
        tokenId,
        namespaces: namespaces && named(namespaces),
        flags: flags && named(flags()),
      },
      'answered',
    )
  })
}

/** A text that cannot be a key is left out: it may be anything. */
function named(keys: readonly string[]): readonly string[] {
  const proper = keys.filter(isKey)
  return [...new Set(proper)].slice(0, maxNamed)
}
