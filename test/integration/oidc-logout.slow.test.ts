import { setTimeout as sleep } from 'node:timers/promises'
import { findFreePort } from '@svc/local/ports'
import t from 'tap'
import { type Browser, openBrowser } from '../support/browser.ts'
import { type Jar, logInAt, logOutThere, oidcEnv } from '../support/oidc-login.ts'
import { startOidcProvider } from '../support/oidc-provider.ts'
import { startStack } from '../support/stack.ts'

const publicUrl = 'https://flags.example.com'

function claimsOf(jwt: string): unknown {
  return JSON.parse(Buffer.from(jwt.split('.')[1] ?? '', 'base64url').toString())
}

/** Whether a browser is logged in, once it is so or for as long as a user would wait. */
async function becomes(browser: Browser, isLoggedIn: boolean): Promise<boolean> {
  for (let waitedMs = 0; waitedMs < 5000; waitedMs += 50) {
    const { status } = await browser.send('GET', '/auth/v1/self')
    if ((status === 200) === isLoggedIn) return true
    await sleep(50)
  }
  return false
}

t.test('logouts at the provider', async (t) => {
  const port = await findFreePort()
  const path = '/auth/v1/method/oidc/acme/backchannel-logout'
  const people = { ada: { email: 'ada@example.com', email_verified: true }, bob: {} }
  const provider = await startOidcProvider(t, {
    publicUrl,
    name: 'acme',
    people,
    backchannelLogoutUri: `http://127.0.0.1:${port}${path}`,
  })
  const env = { ...oidcEnv(publicUrl, { acme: provider }), SVC_SERVER_HTTP_PORT: `${port}` }
  const { urls } = await startStack(t, { env })
  const open = () => openBrowser(...urls)

  await t.test('are offered at a logout here, and end the other sessions', async (t) => {
    const jar: Jar = new Map()
    const otherJar: Jar = new Map()
    const [laptop, tablet, phone, bobs] = [open(), open(), open(), open()]
    // Two browsers in one session there, as two services would be; another has one of its own.
    await logInAt(laptop, 'acme', 'ada', { jar })
    await logInAt(tablet, 'acme', 'ada', { jar })
    await logInAt(phone, 'acme', 'ada', { jar: otherJar })
    await logInAt(bobs, 'acme', 'bob')
    for (const browser of [laptop, tablet, phone, bobs]) t.ok(await becomes(browser, true))

    const answer = await laptop.send('DELETE', '/auth/v1/session')
    t.equal(answer.status, 200, answer.text)
    const { logoutUrl } = answer.body as { logoutUrl: string }
    const url = new URL(logoutUrl)
    t.equal(url.origin, provider.issuer)
    const { id_token_hint: hint = '', ...others } = Object.fromEntries(url.searchParams)
    t.strictSame(others, { client_id: 'flags', post_logout_redirect_uri: `${publicUrl}/` })
    t.match(claimsOf(hint), { sub: 'ada', aud: 'flags', iss: provider.issuer })
    t.ok(await becomes(laptop, false), 'it is over here')
    t.ok(await becomes(tablet, true), 'and not yet there')

    await logOutThere(url, jar)
    t.ok(await becomes(tablet, false), 'the same session there')
    t.ok(await becomes(phone, true), 'another session there')
    t.ok(await becomes(bobs, true), 'another user')
  })

  const post = (body: string, type = 'application/x-www-form-urlencoded') =>
    fetch(`${urls[0]}${path}`, { method: 'POST', body, headers: { 'content-type': type } })

  await t.test('are refused when the provider did not say so', async (t) => {
    const ada = open()
    await logInAt(ada, 'acme', 'ada')
    const claims = Buffer.from('{"sub":"ada"}').toString('base64url')
    for (const body of [
      '',
      'logout_token=',
      'logout_token=a.b.c',
      `logout_token=eyJhbGciOiJub25lIn0.${claims}.AA`,
      'logout_token=a&logout_token=b',
      'logoutToken=a',
    ]) {
      const answer = await post(body)
      t.equal(answer.status, 400, body)
      t.notMatch(await answer.text(), /jose|signature|claim/i)
    }
    t.equal((await post('{"logout_token":"a.b.c"}', 'application/json')).status, 400)
    t.ok(await becomes(ada, true))
  })
})
