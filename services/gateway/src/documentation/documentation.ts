import swagger from '@fastify/swagger'
import swaggerUi from '@fastify/swagger-ui'
import type { Contract } from '@svc/contract'
import type { FastifyInstance, FastifyPluginAsync } from 'fastify'
import { title, toOpenApi } from './openapi.ts'

/** The page loads nothing from elsewhere, and may not. */
const pagePolicy = {
  'default-src': "'none'",
  'script-src': "'self'",
  'style-src': "'self'",
  'img-src': "'self' data:",
  'connect-src': "'self'",
  'form-action': "'none'",
  'base-uri': "'none'",
  'frame-ancestors': "'none'",
}

/** The page has both looks and by itself takes the light one. */
const followColorScheme = `
const dark = matchMedia('(prefers-color-scheme: dark)')
const follow = () => document.documentElement.classList.toggle('dark-mode', dark.matches)
dark.addEventListener('change', follow)
follow()
`

/** Serves the OpenAPI document at `/openapi.json` and a page to read it at `/docs`. */
export async function addDocumentationRoutes(
  app: FastifyInstance,
  contract: Contract,
): Promise<void> {
  const text = JSON.stringify(toOpenApi(contract))
  const bytes = Buffer.from(text)
  app.get('/openapi.json', (_request, reply) =>
    reply.headers({ 'content-type': 'application/json', 'cache-control': 'no-cache' }).send(bytes),
  )
  const page: FastifyPluginAsync = async (docs) => {
    docs.addHook('onRequest', (_request, reply, done) => {
      reply.header('cross-origin-opener-policy', 'same-origin')
      done()
    })
    await docs.register(swagger, {
      mode: 'static',
      // Parsed again, as the plugin's types know OpenAPI 3.1 only where it makes the document itself.
      specification: { document: JSON.parse(text) },
    })
    await docs.register(swaggerUi, {
      routePrefix: '/docs',
      staticCSP: pagePolicy,
      theme: { title, js: [{ filename: 'color-scheme.js', content: followColorScheme }] },
      // Without the bar that asks for other documents.
      uiConfig: { layout: 'BaseLayout', docExpansion: 'none', defaultModelsExpandDepth: 0 },
    })
  }
  await app.register(page)
}
