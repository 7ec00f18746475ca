import { createHash } from 'node:crypto'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { acceptsEncoding, prefersHtml } from '../http/accept.ts'
import { namesEtag } from '../http/if-none-match.ts'
import type { BasePathOf } from './base-path.ts'
import { pageRoutes } from './pages.ts'
import type { Asset, Site } from './site.ts'

/** Content Security Policy of the page: what this origin has, and nothing in the page itself. */
const policy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data:",
  "font-src 'self'",
  "connect-src 'self'",
  "base-uri 'self'",
  "form-action 'self'",
  "frame-ancestors 'none'",
].join('; ')

/** With those that all answers have. */
const pageHeaders = {
  'content-security-policy': policy,
  'cross-origin-opener-policy': 'same-origin',
  'cache-control': 'no-cache',
}

const assetHeaders = { 'cache-control': 'public, max-age=31536000, immutable' }

/** What the build writes, and this service replaces. */
const builtBase = '<base href="/" />'

/** Serves the interface: its page at each of its paths, to browsers only, and what the page loads. */
export function addInterface(
  app: FastifyInstance,
  { page, assets }: Site,
  basePathOf: BasePathOf,
): void {
  const [before, after, ...others] = page.split(builtBase)
  if (before === undefined || after === undefined || others.length > 0) {
    throw new Error(`the page of the interface needs ${builtBase} once`)
  }
  const sendPage = (request: FastifyRequest, reply: FastifyReply) => {
    addVary(reply, 'accept')
    // The router takes `/ns//flags` for a namespace without a key.
    const isWhole = Object.values(request.params ?? {}).every((value) => value !== '')
    if (!isWhole || !prefersHtml(request.headers.accept)) return reply.callNotFound()
    const text = `${before}<base href="${toAttribute(basePathOf(request.raw))}" />${after}`
    // Weak, as the page may be compressed.
    const tag = createHash('sha256').update(text).digest('base64url').slice(0, 22)
    reply.headers(pageHeaders).header('etag', `W/"${tag}"`)
    if (namesEtag(request.headers['if-none-match'], tag)) return reply.code(304).send()
    return reply.header('content-type', 'text/html; charset=utf-8').send(Buffer.from(text))
  }
  for (const url of pageRoutes) app.get(url, { config: { isPage: true } }, sendPage)

  app.get<{ Params: { name: string } }>(
    '/assets/:name',
    { config: { isPage: true }, compress: false },
    ({ params: { name }, headers }, reply) => {
      const asset = assets.get(name)
      if (asset === undefined) return reply.callNotFound()
      addVary(reply, 'accept-encoding')
      const [encoding, bytes] = smallestOf(asset, headers['accept-encoding'])
      if (encoding !== undefined) reply.header('content-encoding', encoding)
      return reply.headers(assetHeaders).header('content-type', asset.contentType).send(bytes)
    },
  )
}

function smallestOf(
  { br, gzip, bytes }: Asset,
  accepted: string | undefined,
): readonly [encoding: string | undefined, bytes: Buffer] {
  if (br !== undefined && acceptsEncoding('br', accepted)) return ['br', br]
  if (gzip !== undefined && acceptsEncoding('gzip', accepted)) return ['gzip', gzip]
  return [undefined, bytes]
}

/** CORS may have named the origin. */
function addVary(reply: FastifyReply, name: string): void {
  reply.header('vary', [reply.getHeader('vary') ?? [], name].flat().join(', '))
}

const toAttribute = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('"', '&quot;')
