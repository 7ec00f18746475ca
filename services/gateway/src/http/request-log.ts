import type { IncomingMessage } from 'node:http'
import { isKey } from '@svc/contract'
import type { FastifyInstance } from 'fastify'
import type { AddressOf } from './client-address.ts'

/** Of a batch only the first are named. */
const maxNamed = 10

/** What the parts of the gateway find out about a request, for its line in the log. */
export interface RequestFacts {
  /** Of the token that it came with. */
  readonly tokenId?: string | undefined
  /** Keys of namespaces that the caller may use. */
  readonly namespaces?: readonly string[]
  /** Keys of flags that are asked for. Called only when a line is written. */
  readonly flags?: () => readonly string[]
}

export type NoteFacts = (request: IncomingMessage, more: RequestFacts) => void

/** Forgotten with the request. */
const facts = new WeakMap<IncomingMessage, RequestFacts>()

/** Adds to what is known of a request. Nothing in it may be a secret, or from a caller not let through. */
export function noteFacts(request: IncomingMessage, more: RequestFacts): void {
  facts.set(request, { ...facts.get(request), ...more })
}

/** Writes a line for each request when it has been answered; `log.requests`. */
export function addRequestLog(app: FastifyInstance, addressOf: AddressOf): void {
  app.addHook('onRequest', ({ raw }, _reply, done) => {
    // Kept for the line: Node.js does not know it any more when the client has left.
    addressOf(raw)
    done()
  })
  app.addHook('onResponse', async (request, reply) => {
    const { tokenId, namespaces, flags } = facts.get(request.raw) ?? {}
    request.log.info(
      {
        method: request.method,
        route: request.routeOptions.url ?? 'none',
        status: reply.statusCode,
        durationMs: Math.round(reply.elapsedTime * 10) / 10,
        address: addressOf(request.raw),
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
