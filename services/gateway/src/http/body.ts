import type { JsonObject, Route } from '@svc/contract'
import type { FastifyInstance } from 'fastify'
import { parseJsonObject } from './json.ts'

/** A variant may have an attachment of 1,024,000 bytes, which JSON may have to escape. */
const maxManagementBytes = 4 * 2 ** 20
/** Far above a batch of 1,000 evaluations with the contexts that applications send. */
export const maxBodyBytes = 2 ** 20

/** Some times the longest token. Logins send bodies before it is known who is calling. */
const maxAuthBytes = 64 * 1024

/** How many bytes the body of a request to an operation may have. */
export function bodyLimitOf({ answeredBy, area }: Pick<Route, 'answeredBy' | 'area'>): number {
  if (answeredBy === 'GATEWAY') return maxBodyBytes
  return area === 'AUTH' ? maxAuthBytes : maxManagementBytes
}

/** Takes every body as bytes, whatever its type: known clients send none or `text/plain`. */
export function addBodyParser(app: FastifyInstance): void {
  app.removeAllContentTypeParsers()
  const types = ['application/json', '*']
  app.addContentTypeParser(types, { parseAs: 'buffer' }, (_request, body, done) => done(null, body))
}

/** @throws {AppError} `invalid_argument` when the body is not a JSON object */
export function readJson({ body }: { readonly body?: unknown }): JsonObject {
  return Buffer.isBuffer(body) ? parseJsonObject(body) : {}
}
