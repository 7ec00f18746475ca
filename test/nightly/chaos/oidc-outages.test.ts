import t from 'tap'
import { openBrowser } from '../../support/browser.ts'
import { drips, hangs, says } from '../../support/faults.ts'
import { figure } from '../../support/figures.ts'
import { type Behaviour, startMockProvider } from '../../support/mock-provider.ts'
import { beginLogin, endLogin, oidcEnv } from '../../support/oidc-login.ts'
import { startStack } from '../../support/stack.ts'

const publicUrl = 'https://flags.example.com'

/** Maximum time in which a browser learns that a provider is unavailable, in milliseconds. */
const limitMs = 6000

t.test('a provider that is unavailable', async (t) => {
  const mock = await startMockProvider(t)
  const names = ['good', 'hung', 'dripping', 'broken']
  mock.setBehaviour('hung', { metadata: () => hangs })
  mock.setBehaviour('dripping', { metadata: () => drips })
  mock.setBehaviour('broken', { metadata: () => says(500, '{}') })
  const away = { gone: { issuer: 'http://127.0.0.1:1' } }
  const issuers = Object.fromEntries(names.map((name) => [name, { issuer: mock.issuer(name) }]))
  const { api, urls } = await startStack(t, { env: oidcEnv(publicUrl, { ...issuers, ...away }) })
  const [url] = urls

  const logIn = async (behaviour: Behaviour = {}) => {
    const browser = openBrowser(url)
    return endLogin(browser, mock.answer(await beginLogin(browser, 'good'), behaviour))
  }
  const begin = async (provider: string) => {
    const beganAt = performance.now()
    const answer = await openBrowser(url).send('GET', `/auth/v1/method/oidc/${provider}/authorize`)
    return { ...answer, tookMs: performance.now() - beganAt }
  }

  await t.test('costs those only who want to log in there, and not for long', async (t) => {
    const waiting = Promise.all(['hung', 'dripping', 'broken', 'gone'].map(begin))
    const others = { sent: 0, failed: 0 }
    let isOver = false
    const traffic = async () => {
      while (!isOver) {
        others.sent += 2
        const answers = await Promise.all([api('GET', '/api/v1/namespaces'), logIn()])
        const isFine = answers[0].status === 200 && answers[1].status === 302
        if (!isFine) others.failed += 1
        await new Promise((resolve) => setTimeout(resolve, 200))
      }
    }
    const going = traffic()
    const answers = await waiting
    isOver = true
    await going
    for (const { headers, status, text, tookMs } of answers) {
      t.equal(status, 503, text)
      t.equal(headers.getSetCookie().length, 0, 'no cookie is set or cleared')
      t.ok(tookMs < limitMs, `${Math.round(tookMs)} ms`)
    }
    t.comment(`${others.sent} other requests meanwhile, ${others.failed} failed`)
    figure(t, 'R-23', 'providers unavailable: others failed', { atMost: 0 }, others.failed)
    const slowest = Math.max(...answers.map(({ tookMs }) => tookMs))
    const most = { atMost: limitMs, unit: 'ms' }
    figure(t, 'R-23', 'providers unavailable: refused in', most, slowest)
  })

  await t.test('is not asked again by every login', async (t) => {
    const endpoint = 'broken/.well-known/openid-configuration'
    const before = mock.count(endpoint)
    const answers = await Promise.all(Array.from({ length: 10 }, () => begin('broken')))
    t.strictSame(new Set(answers.map(({ status }) => status)), new Set([503]))
    t.ok(mock.count(endpoint) - before <= 1, `${mock.count(endpoint) - before} times`)
  })

  await t.test('is unavailable when the code is to be redeemed', async (t) => {
    const ways: Behaviour[] = [{ token: () => hangs }, { token: () => drips }]
    const beganAt = performance.now()
    const answers = await Promise.all(ways.map(logIn))
    for (const { status, headers } of answers) {
      t.equal(status, 503)
      t.notMatch(headers.getSetCookie().join(), /svc_client_token/)
    }
    t.ok(performance.now() - beganAt < limitMs)
  })

  await t.test('lets people in with the keys and metadata that are known', async (t) => {
    mock.setBehaviour('good', { metadata: () => hangs, keys: () => says(500, '') })
    t.equal((await logIn()).status, 302)
  })

  await t.test('is asked again when it is back', async (t) => {
    mock.setBehaviour('broken', {})
    // Five seconds after the last failure at the earliest, ten after the second in a row.
    for (let waited = 0; waited < 15; waited += 1) {
      if ((await begin('broken')).status === 200) break
      await new Promise((resolve) => setTimeout(resolve, 1000))
    }
    t.equal((await begin('broken')).status, 200)
  })
})
