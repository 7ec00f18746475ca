import { brotliCompressSync, brotliDecompressSync, gunzipSync, gzipSync } from 'node:zlib'
import type { FastifyInstance } from 'fastify'
import t, { type Test } from 'tap'
import { startBefore } from '../gateway.test.support.ts'
import { addCompression } from '../http/compression.ts'
import { openEdge } from '../http/edge.ts'
import { basePathsBehind } from './base-path.ts'
import { addInterface } from './interface.ts'
import { pageRoutes } from './pages.ts'
import { readSite, type Site } from './site.ts'

/** What browsers send when an address is typed. */
const browser = 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8'

const notFound = { code: 5, message: 'Not Found', details: [] }

const script = `export const long = '${'a'.repeat(3000)}'`
const page = '<!doctype html>\n<html><head><base href="/" /></head><body>page</body></html>'

async function open(t: Pick<Test, 'testdir' | 'teardown'>) {
  const directory = t.testdir({
    'index.html': page,
    assets: {
      'main-1.js': script,
      'main-1.js.br': brotliCompressSync(script),
      'main-1.js.gz': gzipSync(script),
      'mark-2.svg': '<svg/>',
      'font-3.woff2': 'wOF2',
    },
  })
  const app = openEdge()
  await addCompression(app)
  const trustedProxies = ['127.0.0.0/8']
  addInterface(
    app,
    readSite(directory) as Site,
    basePathsBehind({ publicUrl: 'https://example.com/tools/flags', trustedProxies }),
  )
  app.post('/api/things', async () => 'ok')
  t.teardown(() => app.close())
  return app
}

type Method = 'GET' | 'HEAD' | 'POST' | 'PUT' | 'DELETE' | 'OPTIONS'
const ask = (app: FastifyInstance, url: string, accept = browser, method: Method = 'GET') =>
  app.inject({ method, url, headers: { accept } })

/** Each path with keys in it. */
const paths = pageRoutes.map((route) => route.replace(/:\w+/g, 'a-Key_1'))

t.test('every page', async (t) => {
  const app = await open(t)
  for (const path of paths) {
    const answer = await ask(app, `${path}?q=a&new`)
    t.equal(answer.statusCode, 200, path)
    t.equal(answer.headers['content-type'], 'text/html; charset=utf-8')
    t.equal(answer.body, page.replace('href="/"', 'href="/tools/flags/"'))
    const headed = await ask(app, path, browser, 'HEAD')
    t.equal(headed.statusCode, 200, `HEAD ${path}`)
    t.equal(headed.body, '')
    t.equal(headed.headers.etag, answer.headers.etag)
  }
})

t.test('a page may load what is of this origin, and nothing else', async (t) => {
  const { headers } = await ask(await open(t), '/')
  t.equal(
    headers['content-security-policy'],
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; " +
      "font-src 'self'; connect-src 'self'; base-uri 'self'; form-action 'self'; " +
      "frame-ancestors 'none'",
  )
  t.match(headers, {
    'cache-control': 'no-cache',
    'cross-origin-opener-policy': 'same-origin',
    'referrer-policy': 'no-referrer',
    'x-content-type-options': 'nosniff',
    vary: /accept/,
  })
})

t.test('a page is what only those get who ask for one', async (t) => {
  const app = await open(t)
  const others = ['*/*', 'text/*', 'application/json', 'application/json, text/html;q=0.9', '']
  for (const path of paths) {
    for (const accept of others) {
      for (const method of ['GET', 'HEAD'] as const) {
        const answer = await ask(app, path, accept, method)
        t.equal(answer.statusCode, 404, `${method} ${path} ${accept}`)
        t.equal(answer.headers['content-type'], 'application/json')
        t.match(answer.headers.vary, /accept/)
        if (method === 'GET') t.strictSame(answer.json(), notFound)
      }
    }
    for (const method of ['POST', 'PUT', 'DELETE', 'OPTIONS'] as const) {
      const answer = await ask(app, path, browser, method)
      t.strictSame([answer.statusCode, answer.json()], [404, notFound], `${method} ${path}`)
    }
  }
})

t.test('every other path stays unknown, to browsers too', async (t) => {
  const app = await open(t)
  const unknown = [
    ...['/nope', '/ns', '/ns/', '/ns/a/', '/ns//flags', '/ns/a/flags/', '/ns/a/flags//variants'],
    ...['/ns/a/flags/b/nope', '/ns/a/flags/b/variants/c', '/ns/a/nope', '/login/', '/LOGIN'],
    ...['/index.html', '/assets', '/assets/', '/assets/nope.js', '/assets/main-1.js.br', '/api'],
    ...['/assets/..%2findex.html', '/assets/%2e%2e/index.html', '/favicon.ico', '/tools/flags/'],
    ...['/assets/__proto__', '/assets/constructor'],
  ]
  for (const path of unknown) {
    for (const accept of [browser, '*/*']) {
      const answer = await ask(app, path, accept)
      t.strictSame([answer.statusCode, answer.json()], [404, notFound], path)
    }
  }
  const wrongMethod = await ask(app, '/api/things')
  t.equal(wrongMethod.statusCode, 405, 'what the API has keeps its own answer')
})

t.test('a page that has not changed is not sent again', async (t) => {
  const app = await open(t)
  const { headers } = await ask(app, '/tokens')
  const again = (etag: string, more = {}) =>
    app.inject({ url: '/login', headers: { accept: browser, 'if-none-match': etag, ...more } })
  const tag = String(headers.etag)
  t.match(tag, /^W\/"[\w-]{22}"$/)
  const same = await again(tag)
  t.strictSame([same.statusCode, same.body, same.headers.etag], [304, '', tag])
  t.equal(same.headers['cache-control'], 'no-cache')
  t.equal((await again('W/"other"')).statusCode, 200)
  t.equal((await again(tag, { 'x-forwarded-prefix': '/moved' })).statusCode, 200)
})

t.test('a page says where it is, as a trusted proxy has it', async (t) => {
  const app = await open(t)
  const baseOf = async (prefix: string) => {
    const headers = { accept: browser, 'x-forwarded-prefix': prefix }
    const { body } = await app.inject({ url: '/', headers })
    return /<base href="([^"]*)" \/>/.exec(body)?.[1]
  }
  t.equal(await baseOf('/a/b'), '/a/b/')
  t.equal(await baseOf('//elsewhere.example'), '/tools/flags/')
})

t.test('what a page loads is kept for ever, in the encoding that is asked for', async (t) => {
  const app = await open(t)
  const load = (name: string, encodings?: string, method: Method = 'GET') => {
    const headers = encodings === undefined ? {} : { 'accept-encoding': encodings }
    return app.inject({ method, url: `/assets/${name}`, headers })
  }
  const read = { br: brotliDecompressSync, gzip: gunzipSync }
  const table: [accepted: string | undefined, encoding: keyof typeof read | undefined][] = [
    ['gzip, deflate, br, zstd', 'br'],
    ['gzip', 'gzip'],
    ['br;q=0, gzip;q=0.5', 'gzip'],
    ['identity', undefined],
    ['', undefined],
    [undefined, undefined],
  ]
  for (const [accepted, encoding] of table) {
    const { statusCode, headers, rawPayload } = await load('main-1.js', accepted)
    t.equal(statusCode, 200)
    t.equal(headers['content-encoding'], encoding, `${accepted}`)
    t.equal(`${encoding === undefined ? rawPayload : read[encoding](rawPayload)}`, script)
    t.equal(Number(headers['content-length']), rawPayload.length)
    t.match(headers, {
      'cache-control': 'public, max-age=31536000, immutable',
      'content-type': 'text/javascript; charset=utf-8',
      'x-content-type-options': 'nosniff',
      vary: /accept-encoding/,
    })
  }
  const types = { 'mark-2.svg': 'image/svg+xml', 'font-3.woff2': 'font/woff2' }
  for (const [name, type] of Object.entries(types)) {
    const { headers } = await load(name, 'gzip, br')
    t.match(headers, { 'content-type': type, 'content-encoding': undefined })
  }
  const headed = await load('main-1.js', 'br', 'HEAD')
  t.strictSame([headed.statusCode, headed.body], [200, ''])
  t.equal(headed.headers['content-length'], `${brotliCompressSync(script).length}`)
})

t.test('a build without its one <base> is refused', async (t) => {
  const app = openEdge()
  t.teardown(() => app.close())
  const site = { page: '<!doctype html>', assets: new Map() }
  t.throws(() => addInterface(app, site, () => '/'), { message: /<base href/ })
})

t.test('the gateway serves the one that is built, unless the settings say otherwise', async (t) => {
  const headers = { accept: browser }
  const on = await startBefore(t, {
    SVC_CORS_ENABLED: 'true',
    SVC_CORS_ALLOWED_ORIGINS: 'https://a.example',
  })
  const answer = await fetch(`${on.url}/ns/default/flags`, { headers })
  const html = await answer.text()
  t.equal(answer.status, 200)
  t.match(answer.headers.get('vary')?.toLowerCase().split(/, */), ['origin', 'accept'])
  for (const [, link = ''] of html.matchAll(/(?:src|href)="\.\/([^"]+)"/g)) {
    const { status, body } = await fetch(new URL(link, `${on.url}/`))
    await body?.cancel()
    t.equal(status, 200, link)
  }

  const off = await startBefore(t, { SVC_UI_ENABLED: 'false' })
  for (const path of paths.slice(1)) {
    const { status, body } = await fetch(off.url + path, { headers })
    await body?.cancel()
    t.equal(status, 404, path)
  }
  t.match(await (await fetch(off.url, { headers })).text(), 'This is the API')
})
