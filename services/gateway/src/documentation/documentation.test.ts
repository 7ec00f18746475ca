import { contract } from '@svc/contract/testing'
import t from 'tap'
import { openEdge } from '../http/edge.ts'
import { addDocumentationRoutes } from './documentation.ts'

t.test('the documentation', async (t) => {
  const app = openEdge()
  await addDocumentationRoutes(app, contract)
  t.teardown(() => app.close())

  await t.test('is a document', async (t) => {
    const answer = await app.inject('/openapi.json')
    t.equal(answer.statusCode, 200)
    t.equal(answer.headers['content-type'], 'application/json')
    t.equal(answer.json().openapi, '3.1.1')
  })

  await t.test('and a page that loads nothing from elsewhere, and may not', async (t) => {
    const page = await app.inject('/docs')
    t.equal(page.statusCode, 200)
    t.match(page.headers['content-type'], /^text\/html/)
    t.match(page.headers, { 'cross-origin-opener-policy': 'same-origin' })
    const policy = String(page.headers['content-security-policy'])
    t.match(policy, /default-src 'none'; script-src 'self'; style-src 'self';/)
    t.notMatch(policy, /https?:|unsafe|\*/)
    const loaded = [...page.body.matchAll(/(?:src|href)="([^"]*)"/g)].map(([, url = '']) => url)
    t.ok(loaded.length > 5)
    for (const url of loaded) {
      t.match(url, /^\/docs\//)
      t.equal((await app.inject(url)).statusCode, 200, url)
    }
    t.equal((await app.inject('/docs/json')).json().openapi, '3.1.1')
  })

  await t.test('is answered like everything else where it has no page', async (t) => {
    const missing = await app.inject('/docs/static/nope')
    t.equal(missing.statusCode, 404)
    t.strictSame(missing.json(), { code: 5, message: 'Not Found', details: [] })
    t.equal((await app.inject({ method: 'POST', url: '/openapi.json' })).statusCode, 405)
  })
})
