import { createHash } from 'node:crypto'
import type { FastifyInstance } from 'fastify'
import { prefersHtml } from '../http/accept.ts'
import { title } from './openapi.ts'

const style = `
:root { color-scheme: light dark; font: 1rem/1.6 system-ui, sans-serif }
main { max-width: 40rem; margin: 15vh auto 0; padding: 0 1.5rem }
code { font-size: 0.9em }`

// Relative links, which also hold below the prefix of a proxy.
const page = Buffer.from(`<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>${title}</title>
<style>${style}</style>
<main>
<h1>${title}</h1>
<p>This is the API. Requests need a token: <code>Authorization: Bearer …</code></p>
<ul>
<li><a href="docs">Documentation of the API</a>
<li><a href="openapi.json">The same as an OpenAPI document</a>
<li><a href="readyz">State of this gateway</a>
</ul>
</main>
`)

/** Content Security Policy: the page loads nothing, runs nothing, and has the one style in it. */
const policy = [
  "default-src 'none'",
  `style-src 'sha256-${createHash('sha256').update(style).digest('base64')}'`,
  "form-action 'none'",
  "base-uri 'none'",
  "frame-ancestors 'none'",
].join('; ')

const headers = {
  'content-type': 'text/html; charset=utf-8',
  'content-security-policy': policy,
  'cross-origin-opener-policy': 'same-origin',
  'cache-control': 'no-cache',
}

/** Serves a page at `/` to browsers; other clients get 404 there, as at every path that is none. */
export function addFrontPage(app: FastifyInstance): void {
  app.get('/', (request, reply) => {
    reply.header('vary', [reply.getHeader('vary') ?? [], 'accept'].flat().join(', '))
    return prefersHtml(request.headers.accept)
      ? reply.headers(headers).send(page)
      : reply.callNotFound()
  })
}
