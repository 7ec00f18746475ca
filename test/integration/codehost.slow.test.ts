import { setTimeout as sleep } from 'node:timers/promises'
import { openDatabase } from '@svc/database'
import { createLogger } from '@svc/runtime'
import { waitFor } from '@svc/runtime/testing'
import t from 'tap'
import { type Browser, openBrowser } from '../support/browser.ts'
import { allowCli } from '../support/cli-login.ts'
import { type Organization, type Person, startCodehost } from '../support/codehost.ts'
import { codehostEnv, logIn, publicUrl } from '../support/codehost-login.ts'
import { call } from '../support/http.ts'
import { type Stack, startStack } from '../support/stack.ts'

const acme = { id: 101, login: 'acme' }
const dev = { id: 201, slug: 'dev', organization: acme }

const person = (id: number, login: string, more: Partial<Person> = {}): Person => ({
  id,
  login,
  name: `The ${login}`,
  email: `${login}@example.com`,
  organizations: [acme],
  teams: [dev],
  ...more,
})

/** What the service says of the session in a browser. */
const self = (browser: Browser) => browser.send('GET', '/auth/v1/self')

t.test('a login at the code host', async (t) => {
  const octo = person(42, 'octo')
  const codehost = await startCodehost(t, octo)
  const stack = await startStack(t, { gateways: 2, env: codehostEnv(codehost) })
  const [url] = stack.urls

  await t.test('begins with PKCE and a state of its own', async (t) => {
    const browser = openBrowser(url)
    const answers = [
      await browser.send('GET', '/auth/v1/method/codehost/authorize'),
      await browser.send('GET', '/auth/v1/method/codehost/authorize'),
    ]
    const [first, second] = answers.map(
      ({ body }) => new URL((body as { authorizeUrl: string }).authorizeUrl),
    )
    t.equal(first?.href.split('?')[0], `${codehost.serverUrl}/login/oauth/authorize`)
    const { state, code_challenge, ...rest } = Object.fromEntries(first?.searchParams ?? [])
    t.strictSame(rest, {
      client_id: 'flags',
      response_type: 'code',
      redirect_uri: `${publicUrl}/auth/v1/method/codehost/callback`,
      scope: 'read:user user:email read:org',
      code_challenge_method: 'S256',
    })
    t.match(state, /^[\w-]{43}$/)
    t.match(code_challenge, /^[\w-]{43}$/)
    t.not(second?.searchParams.get('state'), state)
    t.not(second?.searchParams.get('code_challenge'), code_challenge)
    t.equal(answers[0]?.headers.get('cache-control'), 'no-store')
  })

  await t.test('ends with a session, back where it began, at any gateway', async (t) => {
    const browser = openBrowser(...stack.urls)
    const answer = await logIn(browser, '/flags/checkout?tab=rules')
    t.equal(answer.status, 302)
    t.equal(answer.headers.get('location'), '/flags/checkout?tab=rules')
    t.match(answer.body, { clientToken: '', authentication: { method: 'METHOD_CODEHOST' } })
    t.strictSame([...browser.cookies.keys()], ['svc_client_token'], 'and nothing of the login')
    const token = browser.cookies.get('svc_client_token') ?? ''
    t.notMatch(answer.text, token.slice(4, 47))
    const [cookie] = answer.headers.getSetCookie().filter((text) => text.startsWith('svc_client'))
    t.equal(
      cookie,
      `svc_client_token=${token}; Path=/; HttpOnly; SameSite=Strict; Secure; Max-Age=86400`,
    )
    t.match((await self(browser)).body, {
      method: 'METHOD_CODEHOST',
      metadata: {
        'io.svc.auth.codehost.sub': '42',
        'io.svc.auth.codehost.preferred_username': 'octo',
        'io.svc.auth.codehost.name': 'The octo',
        'io.svc.auth.codehost.email': 'octo@example.com',
        'io.svc.auth.name': 'The octo',
        'io.svc.auth.email': 'octo@example.com',
        'io.svc.auth.codehost.organizations': '["acme"]',
        'io.svc.auth.codehost.teams': '{"acme":["dev"]}',
      },
    })
  })

  await t.test('is the same person under another name', async (t) => {
    const browser = openBrowser(url)
    codehost.person = person(42, 'renamed', { name: null, email: null })
    await logIn(browser)
    codehost.person = octo
    const { body } = await self(browser)
    t.match(body, { metadata: { 'io.svc.auth.codehost.sub': '42' } })
    t.notMatch(body, { metadata: { 'io.svc.auth.name': /./ } })
    const rows = await query(
      stack,
      'SELECT DISTINCT issuer, subject FROM auth.authentications WHERE issuer IS NOT NULL',
    )
    t.strictSame(rows, [{ issuer: codehost.serverUrl, subject: '42' }])
  })

  await t.test('works with a code host that does not name itself', async (t) => {
    codehost.namesIssuer = false
    t.equal((await logIn(openBrowser(url))).status, 302)
    codehost.namesIssuer = true
  })
})

t.test('where organizations are listed', async (t) => {
  const others = Array.from({ length: 250 }, (_, i) => ({ id: 1000 + i, login: `other-${i}` }))
  const member = person(1, 'member', { organizations: [...others, acme], teams: [] })
  const codehost = await startCodehost(t, member)
  const allowed = { ALLOWED_ORGANIZATIONS: 'ACME,7', RECHECK_INTERVAL: '1s' }
  const stack = await startStack(t, { env: codehostEnv(codehost, allowed) })
  const [url] = stack.urls
  const enter = async (who: Partial<Person>) => {
    codehost.person = person(2, 'other', who)
    const browser = openBrowser(url)
    return { browser, ...(await logIn(browser)) }
  }
  const withOrganizations = (...organizations: Organization[]) => enter({ organizations })

  await t.test('a member gets in, however many others there are', async (t) => {
    const { browser, status } = await enter({ organizations: member.organizations, teams: [] })
    t.equal(status, 302)
    t.match((await self(browser)).body, {
      metadata: {
        'io.svc.auth.codehost.organizations': '["acme"]',
        'io.svc.auth.codehost.api_url': codehost.apiUrl,
      },
    })
    t.equal((await withOrganizations({ id: 7, login: 'any-name' })).status, 302, 'by its id')
  })

  await t.test('the session of a former member ends soon after the next request', async (t) => {
    const leaver = person(3, 'leaver')
    codehost.person = leaver
    const [stays, leaves] = [openBrowser(url), openBrowser(url)]
    await logIn(leaves)
    codehost.person = person(4, 'other')
    await logIn(stays)
    leaver.organizations = []
    t.equal(await statusWithin(leaves, 5000), 401)
    t.equal((await self(stays)).status, 200)
    t.match((await self(leaves)).body, { message: 'request was not authenticated' })
  })

  await t.test('and so does a token that the command line got from it', async (t) => {
    const leaver = person(5, 'leaver')
    codehost.person = leaver
    const browser = openBrowser(url)
    await logIn(browser)
    const ours = { 'sec-fetch-site': 'same-origin' }
    const allowed = await allowCli((method, path, body) => browser.send(method, path, body, ours))
    const { body } = await call(url, 'POST', '/auth/v1/cli-tokens', allowed)
    const { clientToken } = body as { clientToken: string }
    const cli = { authorization: `Bearer ${clientToken}` }
    const status = async () => (await call(url, 'GET', '/auth/v1/self', undefined, cli)).status
    codehost.asked.length = 0
    await waitFor(async () => (await status()) === 200 && codehost.asked.length > 0)
    t.equal(await status(), 200, 'for as long as they are a member')
    leaver.organizations = []
    await waitFor(async () => (await status()) === 401)
    t.equal((await self(browser)).status, 200, 'of the session this is found out when it is used')
    t.equal(await statusWithin(browser, 5000), 401)
  })

  await t.test('so is whose access was taken back at the code host', async (t) => {
    const { browser } = await withOrganizations(acme)
    codehost.withdraw([...codehost.accessTokens.keys()].at(-1) ?? '')
    t.equal(await statusWithin(browser, 5000), 401)
  })

  await t.test('a code host that fails ends no session', async (t) => {
    const { browser } = await withOrganizations(acme)
    for (const path of ['/api/v3/user/orgs', '/api/v3/user/teams']) {
      codehost.faults.set(path, (_request, response) => response.writeHead(500).end())
    }
    codehost.asked.length = 0
    const end = Date.now() + 5000
    while (!codehost.asked.includes('/api/v3/user/orgs') && Date.now() < end) {
      t.equal((await self(browser)).status, 200)
      await sleep(100)
    }
    t.ok(codehost.asked.includes('/api/v3/user/orgs'), 'it was asked')
    t.equal(await statusWithin(browser, 500), 200)
    codehost.faults.clear()
  })

  await t.test('nothing in the database opens what was kept of access tokens', async (t) => {
    const dump = await dumpOf(stack)
    for (const accessToken of codehost.accessTokens.keys()) {
      for (const encoding of ['utf8', 'hex', 'base64'] as const) {
        t.notMatch(dump, Buffer.from(accessToken).toString(encoding).slice(0, 40))
      }
    }
  })
})

/** Uses a session until it is refused, but no longer than that. */
async function statusWithin(browser: Browser, ms: number): Promise<number> {
  const end = Date.now() + ms
  for (;;) {
    const { status } = await self(browser)
    if (status !== 200 || Date.now() >= end) return status
    await sleep(100)
  }
}

/** All that the auth service keeps, as text. */
async function dumpOf(stack: Stack): Promise<string> {
  const tables = ['authentications', 'codehost_memberships', 'keys', 'revocations']
  const texts = tables.map((table) => `SELECT t::text FROM auth.${table} t`)
  return JSON.stringify(await query(stack, texts.join(' UNION ALL ')))
}

async function query({ databaseUrl }: Stack, text: string): Promise<unknown[]> {
  const db = openDatabase(databaseUrl, { name: 'test', maxConnections: 1, log })
  try {
    return await db.query(text)
  } finally {
    await db.close()
  }
}

const log = createLogger({ level: 'silent', encoding: 'json' }, 'test')
