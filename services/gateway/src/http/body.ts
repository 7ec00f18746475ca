import type { IncomingMessage } from 'node:http'
import { Readable } from 'node:stream'
import type { JsonObject } from '@svc/contract'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { parseJsonObject } from './json.ts'

/** A variant may have an attachment of 1,024,000 bytes, which JSON may have to escape. */
const maxManagementBytes = 4 * 2 ** 20
/** Far above a batch of 1,000 evaluations with the contexts that applications send. */
export const maxBodyBytes = 2 ** 20

/** Some times the longest token. Logins send bodies before it is known who is calling. */
const maxAuthBytes = 64 * 1024

/** How many bytes the body of a request to this path may have. */
export function bodyLimitOf(url: string): number {
  if (url.startsWith('/auth/v1/')) return maxAuthBytes
  return url.startsWith('/api/v1/') ? maxManagementBytes : maxBodyBytes
}

/**
 * Takes every body as bytes, whatever its type is said to be: known clients send none or
 * `text/plain`. Routes that want a body ask for it with `readJson`.
 */
export function addBodyParser(app: FastifyInstance): void {
  app.removeAllContentTypeParsers()
  for (const type of ['application/json', '*']) {
    app.addContentTypeParser(type, { parseAs: 'buffer' }, (_request, body, done) => {
      done(null, body)
    })
  }
  app.addHook('preParsing', ({ raw }, _reply, payload, done) => {
    const body = readBodies.get(raw)
    done(null, body === undefined ? payload : Readable.from([body]))
  })
}

const readBodies = new WeakMap<IncomingMessage, Buffer>()

/** Has Fastify read a body that somebody has read already. */
export function handBack(raw: IncomingMessage, body: Buffer): void {
  readBodies.set(raw, body)
}

/** @throws {AppError} `invalid_argument` when the body is not a JSON object */
export function readJson({ body }: FastifyRequest): JsonObject {
  return Buffer.isBuffer(body) ? parseJsonObject(body) : {}
}
