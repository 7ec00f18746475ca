import { createTestDatabase } from '@svc/database/testing'
import t from 'tap'
import { openBrowser } from '../support/browser.ts'
import { unauthenticated } from '../support/errors.ts'
import { addressOf, startFleet } from '../support/fleet.ts'
import { beginLogin, endLogin, logInAt, oidcEnv, visit } from '../support/oidc-login.ts'
import { startOidcProvider } from '../support/oidc-provider.ts'

const publicUrl = 'https://flags.example.com'

const ada = {
  email: 'ada@example.com',
  email_verified: true,
  name: 'Ada',
  picture: 'https://example.com/ada.png',
  groups: ['admins'],
}

t.test('logins at two providers side by side, with two replicas of auth', async (t) => {
  const people = { ada, bob: { ...ada, name: 'Bob' } }
  const [acme, lean] = await Promise.all([
    startOidcProvider(t, { publicUrl, name: 'acme', people }),
    startOidcProvider(t, { publicUrl, name: 'lean', people, hasLeanIdTokens: true }),
  ])
  const { url: databaseUrl } = await createTestDatabase(t)
  const env = oidcEnv(
    publicUrl,
    { acme, lean },
    { SCOPES: 'email profile groups', CLAIMS: 'groups' },
  )
  const fleet = await startFleet(t, { databaseUrl, auths: 2, env })
  const [first, second] = await Promise.all(
    fleet.auths.map((auth) => fleet.startGateway({ SVC_AUTH_ADDRESS: addressOf([auth]) })),
  )
  // Each request goes to the other gateway, and so to the other replica of auth.
  const openOne = () => openBrowser(first?.url ?? '', second?.url ?? '')

  await t.test('begin at one replica and end at the other', async (t) => {
    for (const name of ['acme', 'lean']) {
      const browser = openOne()
      const answer = await logInAt(browser, name, 'ada', { returnTo: '/flags?tab=all' })
      t.equal(answer.status, 302, answer.text)
      t.equal(answer.headers.get('location'), '/flags?tab=all')
      t.match(answer.body, { clientToken: '', authentication: { method: 'METHOD_OIDC' } })
      const token = browser.cookies.get('svc_client_token') ?? ''
      t.notOk(answer.text.includes(token), 'the token is in the cookie only')
      t.strictSame([...browser.cookies.keys()], ['svc_client_token'])
      const self = await browser.send('GET', '/auth/v1/self')
      t.match(self, { status: 200 })
      const { metadata } = self.body as { metadata: object }
      t.strictSame(metadata, {
        'io.svc.auth.oidc.provider': name,
        'io.svc.auth.oidc.sub': 'ada',
        'io.svc.auth.oidc.email': 'ada@example.com',
        'io.svc.auth.oidc.email_verified': 'true',
        'io.svc.auth.oidc.name': 'Ada',
        'io.svc.auth.oidc.picture': 'https://example.com/ada.png',
        'io.svc.auth.email': 'ada@example.com',
        'io.svc.auth.name': 'Ada',
        'io.svc.auth.picture': 'https://example.com/ada.png',
        'io.svc.auth.claims': '{"groups":["admins"]}',
      })
    }
  })

  await t.test(
    'are of different people at different providers, whatever their names',
    async (t) => {
      const [ada, adaAgain, namesake, bob] = [openOne(), openOne(), openOne(), openOne()]
      await logInAt(ada, 'acme', 'ada')
      await logInAt(adaAgain, 'acme', 'ada')
      await logInAt(namesake, 'lean', 'ada')
      await logInAt(bob, 'acme', 'bob')
      t.equal((await ada.send('DELETE', '/auth/v1/self/sessions')).status, 200)
      const statuses = await Promise.all(
        [ada, adaAgain, namesake, bob].map(
          async (one) => (await one.send('GET', '/auth/v1/self')).status,
        ),
      )
      t.strictSame(statuses, [401, 401, 200, 200])
    },
  )

  await t.test('send a browser on at once that wants to see something', async (t) => {
    const path = '/auth/v1/method/oidc/acme/authorize'
    const answer = await openOne().send('GET', path, undefined, { accept: 'text/html,*/*' })
    t.equal(answer.status, 302)
    t.equal(new URL(answer.headers.get('location') ?? '').origin, acme.issuer)
    t.equal(answer.headers.get('cache-control'), 'no-store')
  })

  await t.test('have a state, a nonce and a challenge of their own', async (t) => {
    const browser = openOne()
    const urls = [await beginLogin(browser, 'acme'), await beginLogin(browser, 'acme')]
    const [one, other] = urls.map(({ searchParams }) => Object.fromEntries(searchParams))
    t.strictSame(Object.keys(one ?? {}).toSorted(), [
      ...['client_id', 'code_challenge', 'code_challenge_method', 'nonce', 'redirect_uri'],
      ...['response_type', 'scope', 'state'],
    ])
    t.match(one, {
      client_id: 'flags',
      code_challenge_method: 'S256',
      redirect_uri: `${publicUrl}/auth/v1/method/oidc/acme/callback`,
      response_type: 'code',
      scope: 'openid email profile groups',
    })
    for (const name of ['code_challenge', 'nonce', 'state']) {
      t.match(one?.[name], /^[\w-]{43}$/, name)
      t.not(one?.[name], other?.[name], name)
    }
  })

  await t.test('work in five tabs at once', async (t) => {
    const browser = openOne()
    const urls: URL[] = []
    for (let i = 0; i < 5; i += 1) urls.push(await beginLogin(browser, 'acme', `/${i}`))
    for (const [i, url] of urls.entries()) {
      const answer = await endLogin(browser, await visit(url, 'ada'))
      t.equal(answer.headers.get('location'), `/${i}`, answer.text)
    }
  })

  await t.test('end the login that the browser had before', async (t) => {
    const browser = openOne()
    await logInAt(browser, 'acme', 'ada')
    const before = openOne()
    before.cookies.set('svc_client_token', browser.cookies.get('svc_client_token') ?? '')
    t.equal((await before.send('GET', '/auth/v1/self')).status, 200)
    await logInAt(browser, 'acme', 'bob')
    t.not(browser.cookies.get('svc_client_token'), before.cookies.get('svc_client_token'))
    t.equal((await before.send('GET', '/auth/v1/self')).status, 401)
    t.equal((await browser.send('GET', '/auth/v1/self')).status, 200)
  })

  await t.test('leave a token alone that was made by hand', async (t) => {
    const browser = openOne()
    browser.cookies.set('svc_client_token', fleet.token)
    t.equal((await logInAt(browser, 'acme', 'ada')).status, 302)
    t.equal((await fleet.api('GET', '/auth/v1/self')).status, 200)
  })

  await t.test('refuse a user whom the provider refuses', async (t) => {
    const answer = await logInAt(openOne(), 'acme', 'mallory')
    t.equal(answer.status, 401)
    t.strictSame(answer.body, unauthenticated)
    t.notMatch(JSON.stringify([...answer.headers]), /access_denied|unknown/)
  })

  await t.test('keep no row for logins that are never finished', async (t) => {
    const count = async () => {
      const list = await fleet.api('GET', '/auth/v1/tokens?limit=100')
      return (list.body as { authentications: unknown[] }).authentications.length
    }
    const before = await count()
    for (let i = 0; i < 20; i += 1) await beginLogin(openOne(), 'acme')
    t.equal(await count(), before)
  })
})
