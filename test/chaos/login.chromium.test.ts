import { createTestDatabase } from '@svc/database/testing'
import type { Page } from 'playwright-core'
import t from 'tap'
import { startChromium } from '../support/chromium.ts'
import { addressOf, startFleet } from '../support/fleet.ts'
import { startHttpsSite } from '../support/https-site.ts'
import { oidcEnv } from '../support/oidc-login.ts'
import { startOidcProvider } from '../support/oidc-provider.ts'

const host = 'flags.example.test'

/** What `/auth/v1/self` says of the logged-in user, as the page that they are on finds out. */
function self(page: Page): Promise<{ status: number; body: { metadata?: object } }> {
  return page.evaluate(`fetch('/auth/v1/self').then(async (answer) => ({
    status: answer.status,
    body: await answer.json(),
  }))`)
}

/** Fills in the form of a provider and agrees to what it asks. */
async function logInThere(page: Page, person: string): Promise<void> {
  await page.fill('[name=login]', person)
  await page.fill('[name=password]', 'any will do')
  await Promise.all([page.waitForURL(/\/interaction\//), page.click('[type=submit]')])
  await page.waitForSelector('form:not(:has([name=login])) [type=submit]')
  await page.click('[type=submit]')
}

t.test('people log in with a browser, at either of two providers', async (t) => {
  const site = await startHttpsSite(t, host)
  const publicUrl = `https://${host}:${site.port}`
  const people = {
    ada: { email: 'ada@example.com', email_verified: true, name: 'Ada' },
    bob: { email: 'bob@example.com', email_verified: true, name: 'Bob' },
  }
  const [acme, lean] = await Promise.all([
    startOidcProvider(t, { publicUrl, name: 'acme', people, hasPages: true }),
    startOidcProvider(t, {
      publicUrl,
      name: 'lean',
      people,
      hasPages: true,
      hasLeanIdTokens: true,
    }),
  ])
  const { url: databaseUrl } = await createTestDatabase(t)
  const fleet = await startFleet(t, {
    databaseUrl,
    auths: 2,
    env: oidcEnv(publicUrl, { acme, lean }),
  })
  const [first, second] = await Promise.all(
    fleet.auths.map((auth) => fleet.startGateway({ SVC_AUTH_ADDRESS: addressOf([auth]) })),
  )
  const chromium = await startChromium(t)

  const logins = [
    ['acme', 'ada', acme],
    ['lean', 'bob', lean],
  ] as const
  for (const [name, person, { issuer }] of logins) {
    await t.test(`as ${person} at ${name}`, async (t) => {
      const context = await chromium.newContext()
      const page = await context.newPage()
      // One replica of auth begins the login and the other ends it.
      site.passTo(first?.url ?? '')
      const authorize = `${publicUrl}/auth/v1/method/oidc/${name}/authorize?state=/healthz?from=login`
      await page.goto(authorize)
      t.equal(new URL(page.url()).origin, issuer, 'the browser is sent on')
      const flow = (await context.cookies(publicUrl)).map(({ name, sameSite }) => [name, sameSite])
      t.match(flow, [[/^__Host-svc_flow_/, 'Lax']])
      site.passTo(second?.url ?? '')
      await logInThere(page, person)
      await page.waitForURL(`${publicUrl}/healthz?from=login`)

      const cookies = await context.cookies(publicUrl)
      t.match(cookies, [
        {
          name: 'svc_client_token',
          domain: host,
          path: '/',
          httpOnly: true,
          secure: true,
          sameSite: 'Strict',
        },
      ])
      t.equal(cookies.length, 1, 'nothing is left of the way there')
      t.equal(await page.evaluate('document.cookie'), '', 'pages do not see it')
      t.match(await self(page), {
        status: 200,
        body: {
          method: 'METHOD_OIDC',
          metadata: {
            'io.svc.auth.oidc.provider': name,
            'io.svc.auth.oidc.sub': person,
            'io.svc.auth.oidc.email': `${person}@example.com`,
          },
        },
      })

      const signOut = `fetch('/auth/v1/session', { method: 'DELETE' }).then((a) => a.json())`
      const { logoutUrl } = await page.evaluate<{ logoutUrl?: string }>(signOut)
      t.equal(new URL(logoutUrl ?? '').origin, issuer, 'and may also log out there')
      t.strictSame(await context.cookies(publicUrl), [])
      t.match(await self(page), { status: 401 })
      await context.close()
    })
  }

  await t.test('which ends the session that they had', async (t) => {
    const context = await chromium.newContext()
    const page = await context.newPage()
    site.passTo(first?.url ?? '')
    const tokens: string[] = []
    for (const [name, person] of logins) {
      await page.goto(
        `${publicUrl}/auth/v1/method/oidc/${name}/authorize?state=/healthz?of=${name}`,
      )
      await logInThere(page, person)
      await page.waitForURL(`${publicUrl}/healthz?of=${name}`)
      const [session] = await context.cookies(publicUrl)
      tokens.push(session?.value ?? '')
    }
    const statuses = tokens.map(async (token) => {
      const headers = { authorization: `Bearer ${token}` }
      return (await fetch(`${first?.url}/auth/v1/self`, { headers })).status
    })
    t.strictSame(await Promise.all(statuses), [401, 200])
    await context.close()
  })

  await t.test('and come back anonymous when they began nothing', async (t) => {
    const context = await chromium.newContext()
    const page = await context.newPage()
    await page.goto(`${publicUrl}/auth/v1/method/oidc/acme/callback?code=stolen&state=made-up`)
    t.match(page.url(), /\/login\?error=refused&request=[\w-]+$/)
    await page.waitForSelector('[role=alert]')
    t.match(await page.textContent('[role=alert]'), /You were not signed in\./)
    t.strictSame(await context.cookies(publicUrl), [])
    await context.close()
  })
})
