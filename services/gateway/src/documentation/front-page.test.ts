import { createHash } from 'node:crypto'
import t from 'tap'
import { startBefore } from '../gateway.test.support.ts'

/** What browsers send when an address is typed. */
const browser = 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8'

t.test('the front page', async (t) => {
  const { url } = await startBefore(t, { SVC_UI_ENABLED: 'false' })
  const ask = (accept: string, method = 'GET') => fetch(`${url}/`, { method, headers: { accept } })

  await t.test('is what a browser gets, with links that lead somewhere', async (t) => {
    const answer = await ask(browser)
    t.equal(answer.status, 200)
    t.match(answer.headers.get('content-type'), /^text\/html; charset=utf-8$/)
    t.match(answer.headers.get('vary'), /accept/i)
    const page = await answer.text()
    const links = [...page.matchAll(/href="([^"]*)"/g)].map(([, link = '']) => link)
    t.strictSame(links, ['docs', 'openapi.json', 'readyz'])
    for (const link of links) {
      const { status, body } = await fetch(new URL(link, `${url}/`))
      await body?.cancel()
      // The gateway of this test has no resource service.
      t.equal(status, link === 'readyz' ? 503 : 200, link)
    }
    t.notMatch(page, /https?:|src=|<script/, 'it loads nothing')
  })

  await t.test('may do nothing but have its own style', async (t) => {
    const answer = await ask(browser)
    const [, style = ''] = /<style>([\s\S]*)<\/style>/.exec(await answer.text()) ?? []
    const hash = createHash('sha256').update(style).digest('base64')
    t.strictSame(answer.headers.get('content-security-policy')?.split('; '), [
      "default-src 'none'",
      `style-src 'sha256-${hash}'`,
      "form-action 'none'",
      "base-uri 'none'",
      "frame-ancestors 'none'",
    ])
    t.equal(answer.headers.get('cross-origin-opener-policy'), 'same-origin')
    t.equal(answer.headers.get('x-content-type-options'), 'nosniff')
  })

  await t.test('is answered to HEAD without its text', async (t) => {
    const [got, headed] = [await ask(browser), await ask(browser, 'HEAD')]
    t.equal(headed.status, 200)
    t.equal(headed.headers.get('content-type'), got.headers.get('content-type'))
    t.equal(await headed.text(), '')
    t.not(await got.text(), '')
  })

  await t.test('is no page for other clients', async (t) => {
    for (const accept of ['*/*', 'application/json', 'application/json, text/html;q=0.9']) {
      const answer = await ask(accept)
      t.equal(answer.status, 404, accept)
      t.strictSame(await answer.json(), { code: 5, message: 'Not Found', details: [] })
      t.equal((await ask(accept, 'HEAD')).status, 404, accept)
    }
  })
})

t.test('the front page also varies with the origin, where other origins may call', async (t) => {
  const origin = 'https://app.example.com'
  const env = {
    SVC_UI_ENABLED: 'false',
    SVC_CORS_ENABLED: 'true',
    SVC_CORS_ALLOWED_ORIGINS: origin,
  }
  const { url } = await startBefore(t, env)
  for (const accept of [browser, '*/*']) {
    const { headers, body } = await fetch(`${url}/`, { headers: { accept, origin } })
    await body?.cancel()
    t.match(headers.get('vary')?.toLowerCase().split(', '), ['origin', 'accept'])
  }
})
