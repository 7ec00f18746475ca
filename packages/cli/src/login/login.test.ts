import { request } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import t, { type Test } from 'tap'
import { listenOnLoopback } from './loopback.ts'
import { browserCommand } from './open-browser.ts'

const link = 'https://flags.example.com/cli-login#challenge=a&port=1'

t.test('a browser is opened as the machine does', async (t) => {
  const of = (env: Record<string, string>, platform: NodeJS.Platform = 'linux') =>
    browserCommand(link, env, platform)
  t.strictSame(of({ DISPLAY: ':0' }), ['xdg-open', link])
  t.strictSame(of({ WAYLAND_DISPLAY: 'wayland-0' }), ['xdg-open', link])
  t.equal(of({}), undefined, 'over ssh there is none')
  t.strictSame(of({ BROWSER: 'firefox' }), ['firefox', link])
  t.strictSame(of({ BROWSER: 'firefox -P work %s:lynx' }), ['firefox', '-P', 'work', link])
  t.strictSame(of({}, 'darwin'), ['open', link])
  t.strictSame(of({}, 'win32'), ['rundll32', 'url.dll,FileProtocolHandler', link])
})

async function open(t: Test, signal = new AbortController().signal) {
  const loopback = await listenOnLoopback('the-state', signal)
  t.teardown(() => loopback.close('http://localhost/'))
  const url = `http://127.0.0.1:${loopback.port}`
  return {
    loopback,
    ask: (path: string, init?: RequestInit) => fetch(url + path, { redirect: 'manual', ...init }),
  }
}

t.test('the answer of this login is taken, and its browser sent back', async (t) => {
  const { loopback, ask } = await open(t)
  const asking = ask('/?code=CODE&state=the-state')
  t.strictSame(await loopback.answer, { code: 'CODE' })
  const [answer] = await Promise.all([
    asking,
    loopback.close('https://flags.example.com/#result=done'),
  ])
  t.equal(answer.status, 303)
  t.equal(answer.headers.get('location'), 'https://flags.example.com/#result=done')
  t.equal(answer.headers.get('cache-control'), 'no-store')
})

t.test('that it was not allowed is one', async (t) => {
  const { loopback, ask } = await open(t)
  ask('/?error=access_denied&state=the-state').catch(() => {})
  t.strictSame(await loopback.answer, { error: 'access_denied' })
})

t.test('no other request is', async (t) => {
  const { loopback, ask } = await open(t)
  const others = [
    '/favicon.ico',
    '/',
    '/?code=CODE',
    '/?code=CODE&state=other',
    '/x?code=CODE&state=the-state',
    '/?state=the-state',
  ]
  for (const path of others) t.equal((await ask(path)).status, 404, path)
  t.equal((await ask('/?code=CODE&state=the-state', { method: 'POST' })).status, 404)
  const asking = ask('/?code=FIRST&state=the-state')
  t.strictSame(await loopback.answer, { code: 'FIRST' })
  t.equal((await ask('/?code=SECOND&state=the-state')).status, 404, 'one alone')
  await Promise.all([asking, loopback.close('http://localhost/')])
})

t.test('a path that is no URL is refused like any other', async (t) => {
  const { loopback } = await open(t)
  for (const path of ['//', '/\\\\', 'http://[', '/?%']) {
    const status = await new Promise((resolve) => {
      request({ host: '127.0.0.1', port: loopback.port, path }, (answer) => {
        answer.resume()
        resolve(answer.statusCode)
      }).end()
    })
    t.equal(status, 404, path)
  }
})

t.test('who stops waiting is told why', async (t) => {
  const controller = new AbortController()
  const { loopback } = await open(t, controller.signal)
  const reason = new Error('ended by SIGINT')
  controller.abort(reason)
  await t.rejects(loopback.answer, reason)
})

t.test('a browser that is gone, or never lets go, does not keep it from ending', async (t) => {
  const { loopback, ask } = await open(t)
  const leaving = new AbortController()
  ask('/?code=CODE&state=the-state', { signal: leaving.signal }).catch(() => {})
  await loopback.answer
  leaving.abort()
  await sleep(50)
  await loopback.close('http://localhost/')
  await t.rejects(ask('/'), 'it no longer listens')
})
