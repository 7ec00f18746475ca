import { randomBytes } from 'node:crypto'
import t from 'tap'
import { noTokenCache } from '../../credentials/cache/token-cache.ts'
import { openBrowser } from './browser.test.support.ts'
import { Flows } from './flow.ts'
import { ReplayGuard } from './replay-guard.ts'

const key = randomBytes(32)
const google = { name: 'oidc/google', issuer: 'https://accounts.google.example' }
const refused = { code: 'unauthenticated', message: 'request was not authenticated' }
const stateLifetime = 600_000

const replays = new ReplayGuard(noTokenCache)

function openFlows({ keys = [key], insecure = false, nowMs = Date.now } = {}) {
  const session = { insecure, stateLifetime }
  return new Flows({ keys, session, replays, nowMs })
}

t.test('is finished by the browser that began it, at any replica', async (t) => {
  const browser = openBrowser()
  const begun = openFlows().begin(google, '/flags', browser.call())
  t.match(begun.state, /^[\w-]{43}$/)
  const finished = await openFlows().finish(google, begun.state, browser.call())
  t.strictSame(finished, begun)
  t.strictSame(browser.cookies.size, 0, 'nothing is left in the browser')
})

t.test('has its own state, nonce and verifier each time', async (t) => {
  const flows = Array.from({ length: 100 }, () =>
    openFlows().begin(google, '/', openBrowser().call()),
  )
  const all = flows.flatMap(({ state, nonce, codeVerifier }) => [state, nonce, codeVerifier])
  t.equal(new Set(all).size, 300)
})

t.test('leads nowhere but to this service', async (t) => {
  for (const elsewhere of ['https://evil.example', '//evil.example', '/\\evil.example', '']) {
    const browser = openBrowser()
    const { state } = openFlows().begin(google, elsewhere, browser.call())
    t.equal((await openFlows().finish(google, state, browser.call())).returnTo, '/')
  }
})

t.test('goes to this host only, comes back with links, and lives ten minutes', async (t) => {
  const browser = openBrowser()
  openFlows().begin(google, '/', browser.call())
  t.match(
    browser.sent[0],
    /^__Host-svc_flow_[\w-]{8}=[\w.-]+; Path=\/; HttpOnly; SameSite=Lax; Secure; Max-Age=600$/,
  )
  openFlows({ insecure: true }).begin(google, '/', browser.call())
  t.match(
    browser.sent[1],
    /^svc_flow_[\w-]{8}=[\w.-]+; Path=\/; HttpOnly; SameSite=Lax; Max-Age=600$/,
  )
})

t.test('fits into a cookie, five of them into the headers', async (t) => {
  const browser = openBrowser()
  const issuer = `https://${'a'.repeat(2000)}.example`
  openFlows().begin({ ...google, issuer }, `/${'b'.repeat(511)}`, browser.call())
  t.ok((browser.sent[0]?.length ?? 0) < 1300, `${browser.sent[0]?.length} bytes`)
})

t.test('makes room for a new one by forgetting the oldest', async (t) => {
  const browser = openBrowser()
  let now = Date.now()
  const flows = openFlows({ nowMs: () => now })
  const begun = []
  for (let i = 0; i < 7; i += 1) {
    begun.push(flows.begin(google, `/${i}`, browser.call()))
    now += 1000
  }
  t.equal(browser.cookies.size, 5)
  await t.rejects(flows.finish(google, begun[1]?.state, browser.call()), refused)
  for (const { state, returnTo } of begun.slice(2)) {
    t.equal((await flows.finish(google, state, browser.call())).returnTo, returnTo)
  }
})

t.test('is refused', async (t) => {
  const refusals = {
    'without a state': { state: undefined },
    'with an empty state': { state: '' },
    'with a state that was never begun': { state: randomBytes(32).toString('base64url') },
    'with a state that is a little different': { change: (s: string) => `${s}A` },
    'with a state in other letters': { change: (s: string) => s.toLowerCase() },
    'by another browser': { browser: openBrowser() },
    'at another provider': { place: { ...google, name: 'oidc/okta' } },
    'at another method': { place: { ...google, name: 'codehost/google' } },
    'of another issuer': { place: { ...google, issuer: 'https://evil.example' } },
    'too late': { laterMs: stateLifetime },
    'with a key that is not known': { keys: [randomBytes(32)] },
    'without a key': { keys: [] },
  }
  for (const [name, refusal] of Object.entries(refusals)) {
    const {
      place = google,
      laterMs = 0,
      keys = [key],
      browser,
      change,
      state,
    } = {
      place: undefined,
      laterMs: undefined,
      keys: undefined,
      browser: undefined,
      change: (s: string) => s,
      state: null,
      ...refusal,
    }
    const own = openBrowser()
    const begun = openFlows().begin(google, '/', own.call())
    const flows = openFlows({ keys, nowMs: () => Date.now() + laterMs })
    const presented = state === null ? change(begun.state) : state
    await t.rejects(flows.finish(place, presented, (browser ?? own).call()), refused, name)
  }
})

t.test('is finished once, also when the browser sends its cookie again', async (t) => {
  const browser = openBrowser()
  const flows = openFlows()
  const { state } = flows.begin(google, '/', browser.call())
  const again = openBrowser(browser.cookies)
  await flows.finish(google, state, browser.call())
  await t.rejects(flows.finish(google, state, again.call()), refused)
})

t.test('cannot be changed by the holder of the cookie', async (t) => {
  const browser = openBrowser()
  const { state } = openFlows().begin(google, '/', browser.call())
  const [name = '', cookie = ''] = [...browser.cookies][0] ?? []
  let accepted = 0
  for (let at = 0; at < cookie.length; at += 1) {
    const other = cookie[at] === 'A' ? 'B' : 'A'
    const changed = cookie.slice(0, at) + other + cookie.slice(at + 1)
    const call = openBrowser(new Map([[name, changed]])).call()
    const finished = await openFlows()
      .finish(google, state, call)
      .catch(() => undefined)
    if (finished !== undefined) accepted += 1
  }
  t.comment(`${cookie.length} changed cookies, ${accepted} accepted`)
  t.equal(accepted, 0)
  for (const odd of [
    '',
    '.',
    '..',
    'a.b.c',
    'zzzzzzzzzzz.a.b',
    cookie.slice(0, 30),
    '\0',
    `${cookie}.`,
  ]) {
    const call = openBrowser(new Map([[name, odd]])).call()
    await t.rejects(openFlows().finish(google, state, call), refused, odd)
  }
})

t.test('cannot be exchanged with the cookie of another flow', async (t) => {
  const browser = openBrowser()
  const flows = openFlows()
  const one = flows.begin(google, '/', browser.call())
  const [name = ''] = [...browser.cookies.keys()]
  const other = openBrowser()
  flows.begin(google, '/', other.call())
  const [, cookie = ''] = [...other.cookies][0] ?? []
  await t.rejects(
    flows.finish(google, one.state, openBrowser(new Map([[name, cookie]])).call()),
    refused,
  )
})

t.test('counts for nothing when its cookie comes twice', async (t) => {
  const browser = openBrowser()
  const { state } = openFlows().begin(google, '/', browser.call())
  const [pair = ''] = [...browser.cookies].map(([name, value]) => `${name}=${value}`)
  const call = { get: () => `${pair}; ${pair}`, addTrailer: () => {} }
  await t.rejects(openFlows().finish(google, state, call), refused)
})

t.test('is opened with the key before this one', async (t) => {
  const browser = openBrowser()
  const begun = openFlows().begin(google, '/', browser.call())
  const flows = openFlows({ keys: [randomBytes(32), key] })
  t.strictSame(await flows.finish(google, begun.state, browser.call()), begun)
})
