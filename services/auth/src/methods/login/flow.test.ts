import { randomBytes } from 'node:crypto'
import t from 'tap'
import { noTokenCache } from '../../credentials/cache/redis-cache.ts'
import { type Hash, hashToken } from '../../credentials/records/token.ts'
import { openBrowser, type TestBrowser } from './browser.test.support.ts'
import { createFlow, type FlowOptions, Flows } from './flow.ts'
import { ReplayGuard } from './replay-guard.ts'

const key = randomBytes(32)
const google = { name: 'oidc/google', issuer: 'https://accounts.google.example' }
const refused = { code: 'unauthenticated', message: 'request was not authenticated' }
const stateLifetime = 600_000
const replays = new ReplayGuard(noTokenCache)

function openFlows({
  insecure = false,
  ...options
}: Partial<FlowOptions & FlowOptions['session']> = {}) {
  const session = { insecure, stateLifetime }
  return new Flows({ keys: [key], session, replays, nowMs: Date.now, ...options })
}

interface Begun {
  readonly returnTo?: string
  readonly provider?: typeof google
  readonly flows?: Flows
  readonly replaces?: Hash
}

/** Begins a login in a browser. */
function begin(
  browser: TestBrowser,
  { returnTo = '/', provider = google, flows = openFlows(), replaces }: Begun = {},
) {
  const flow = createFlow(returnTo, replaces)
  flows.begin(provider, flow, browser.call())
  return flow
}

const finish = (browser: TestBrowser, state: string, flows = openFlows(), provider = google) =>
  flows.finish(provider, state, browser.call())

const cookieOf = (browser: TestBrowser) => [...browser.cookies][0] ?? ['', '']

t.test('is finished by the browser that began it, at any replica', async (t) => {
  const browser = openBrowser()
  const begun = begin(browser)
  t.strictSame(await finish(browser, begun.state), begun)
  t.strictSame(browser.cookies.size, 0, 'nothing is left in the browser')
})

t.test('has its own state, nonce and verifier each time', async (t) => {
  const flows = Array.from({ length: 100 }, () => createFlow('/'))
  const all = flows.flatMap(({ state, nonce, codeVerifier }) => [state, nonce, codeVerifier])
  t.equal(new Set(all).size, 300)
  t.ok(all.every((one) => /^[\w-]{43}$/.test(one)))
})

t.test('leads nowhere but to this service', async (t) => {
  for (const elsewhere of ['https://evil.example', '//evil.example', '/\\evil.example', '']) {
    const browser = openBrowser()
    const { state } = begin(browser, { returnTo: elsewhere })
    t.equal((await finish(browser, state)).returnTo, '/')
  }
})

t.test('goes to this host only, comes back with links, and lives ten minutes', async (t) => {
  const browser = openBrowser()
  begin(browser)
  const attributes = 'Path=/; HttpOnly; SameSite=Lax; '
  const pattern = (prefix: string, rest: string) =>
    new RegExp(`^${prefix}svc_flow_[\\w-]{8}=[\\w.-]+; ${attributes}${rest}Max-Age=600$`)
  t.match(browser.sent[0], pattern('__Host-', 'Secure; '))
  begin(browser, { flows: openFlows({ insecure: true }) })
  t.match(browser.sent[1], pattern('', ''))
})

t.test('fits into a cookie, five of them into the headers', async (t) => {
  const browser = openBrowser()
  const issuer = `https://${'a'.repeat(2000)}.example`
  const provider = { ...google, issuer }
  begin(browser, { returnTo: `/${'b'.repeat(511)}`, provider, replaces: hashToken('any') })
  t.ok((browser.sent[0]?.length ?? 0) < 1300, `${browser.sent[0]?.length} bytes`)
})

t.test('makes room for a new one by forgetting the oldest', async (t) => {
  const browser = openBrowser()
  let now = Date.now()
  const flows = openFlows({ nowMs: () => now })
  const begun = Array.from({ length: 7 }, (_, i) => {
    now += 1000
    return begin(browser, { returnTo: `/${i}`, flows })
  })
  t.equal(browser.cookies.size, 5)
  for (const [i, { state, returnTo }] of begun.entries()) {
    if (i < 2) await t.rejects(finish(browser, state, flows), refused)
    else t.equal((await finish(browser, state, flows)).returnTo, returnTo)
  }
})

t.test('is refused', async (t) => {
  const own = (state: string) => state
  const cases: readonly (readonly [string, (state: string) => string, object?])[] = [
    ['with an empty state', () => ''],
    ['with a state that was never begun', () => randomBytes(32).toString('base64url')],
    ['with a state that is a little different', (state) => `${state}A`],
    ['with a state in other letters', (state) => state.toLowerCase()],
    ['by another browser', own, { browser: openBrowser() }],
    ['at another provider', own, { provider: { ...google, name: 'oidc/okta' } }],
    ['at another method', own, { provider: { ...google, name: 'codehost/google' } }],
    ['of another issuer', own, { provider: { ...google, issuer: 'https://evil.example' } }],
    ['too late', own, { flows: openFlows({ nowMs: () => Date.now() + stateLifetime }) }],
    ['with a key that is not known', own, { flows: openFlows({ keys: [randomBytes(32)] }) }],
  ]
  for (const [name, change, options] of cases) {
    const ownBrowser = openBrowser()
    const { state } = begin(ownBrowser)
    const usual = { browser: ownBrowser, flows: openFlows(), provider: google }
    const { browser, flows, provider } = { ...usual, ...options }
    await t.rejects(finish(browser, change(state), flows, provider), refused, name)
  }
})

t.test('is finished once, also when the browser sends its cookie again', async (t) => {
  const browser = openBrowser()
  const { state } = begin(browser)
  const again = openBrowser(browser.cookies)
  await finish(browser, state)
  await t.rejects(finish(again, state), refused)
})

t.test('cannot be finished with any other cookie, nor with two', async (t) => {
  const [browser, other] = [openBrowser(), openBrowser()]
  const { state } = begin(browser)
  begin(other)
  const [name, cookie] = cookieOf(browser)
  const odd = ['', '.', '..', 'a.b.c', 'zzzzzzzzzzz.a.b', cookie.slice(0, 30), '\0', `${cookie}.`]
  const changed = [...cookie].map(
    (character, at) => cookie.slice(0, at) + (character === 'A' ? 'B' : 'A') + cookie.slice(at + 1),
  )
  const [, ofAnotherFlow] = cookieOf(other)
  for (const value of [...odd, ...changed, ofAnotherFlow, `${cookie}; ${name}=${cookie}`]) {
    await t.rejects(finish(openBrowser(new Map([[name, value]])), state), refused, value)
  }
  await t.resolves(finish(browser, state))
})

t.test('is opened with the key before this one', async (t) => {
  const browser = openBrowser()
  const begun = begin(browser)
  const flows = openFlows({ keys: [randomBytes(32), key] })
  t.strictSame(await finish(browser, begun.state, flows), begun)
})
