import type { IncomingMessage } from 'node:http'
import type { FastifyInstance } from 'fastify'
import { Refusal } from './errors.ts'

/** Longer than the longest path with all its keys at their limit of 255, percent-encoded. */
export const maxUrlBytes = 4096

/**
 * Above what browsers, proxies and clients send together. Node.js 22 and later refuse more; Node.js 20
 * leaves them out of `headers`, so that 100 others can hide one of a proxy.
 */
export const maxHeaders = 100

/** Longest `X-Forwarded-For` that is read, in bytes: far more than there are proxies in a row. */
const maxForwardedBytes = 1024

/**
 * Cuts what would take long to read. A URL that is too long keeps what is refused for that, without
 * escapes, which the router would decode. `X-Forwarded-For` keeps its end, which trusted proxies wrote.
 */
export function cutExcess(raw: IncomingMessage): void {
  const { url = '', headers } = raw
  if (url.length > maxUrlBytes) raw.url = url.slice(0, maxUrlBytes + 1).replaceAll('%', '_')
  const forwarded = String(headers['x-forwarded-for'] ?? '')
  if (forwarded.length <= maxForwardedBytes) return
  const end = forwarded.slice(-maxForwardedBytes)
  headers['x-forwarded-for'] = end.slice(end.indexOf(',') + 1)
}

/** Checks what has to hold for every request, before its body is read. */
export function addRequestChecks(app: FastifyInstance): void {
  app.server.prependListener('request', cutExcess)
  app.addHook('preParsing', ({ raw }, _reply, _payload, done) => {
    // Bodies are JSON whatever they are called, and Fastify would refuse a type that it cannot read.
    if (raw.headers['content-type'] !== undefined) raw.headers['content-type'] = 'application/json'
    done(faultOf(raw))
  })
}

/** Reasons to refuse a request, whatever its operation. */
export function faultOf({ url = '', headers, rawHeaders }: IncomingMessage): Refusal | null {
  // Then some of them may be missing from `headers`.
  if (rawHeaders.length > 2 * maxHeaders) return new Refusal('header_too_large')
  if (url.length > maxUrlBytes) return new Refusal('url_too_long')
  if (isMalformed(url)) return new Refusal('malformed_url')
  const { 'content-encoding': encoding = 'identity' } = headers
  return encoding === 'identity' ? null : new Refusal('encoded_body')
}

/** The router decodes the path and gives up on some mistakes; the query has to be as good. */
function isMalformed(url: string): boolean {
  if (!/^[\x21-\x7e]*$/.test(url)) return true
  if (!url.includes('%')) return false
  try {
    return decodeURIComponent(url).includes('\0')
  } catch {
    return true
  }
}
