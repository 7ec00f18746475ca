import { setTimeout as sleep } from 'node:timers/promises'
import { waitFor } from '@svc/runtime/testing'
import t from 'tap'
import { openBrowser } from '../support/browser.ts'
import { type FakeCodehost, type Person, startCodehost } from '../support/codehost.ts'
import { callbackPath, codehostEnv, goThere, logIn } from '../support/codehost-login.ts'
import { drips, hangs, type ServerFault } from '../support/faults.ts'
import type { Answer } from '../support/http.ts'
import { startStack } from '../support/stack.ts'
import {
  type Act,
  callbacks,
  comeBack,
  type Described,
  type DescribedAnswer,
  mixedUp,
  Refusals,
  readCases,
  type Site,
  toFault,
  used,
} from './login-refusals.fixture.ts'

/** An account that may log in, as long as nothing goes wrong. */
const member: Person = {
  id: 42,
  login: 'octo',
  organizations: [{ id: 101, login: 'acme' }],
  teams: [{ id: 201, slug: 'dev', organization: { id: 101, login: 'acme' } }],
}

const tokenPath = '/login/oauth/access_token'
const pathOf = (name: string) => (name === 'token' ? tokenPath : `/api/v3/${name}`)

/** An answer of `codehost.cases.yml`. */
type Answering = Described | (DescribedAnswer & Other)

interface Other {
  /** The answer to a request for the second page. */
  readonly second?: DescribedAnswer
  /** What there is at the place that the request is sent on to. */
  readonly moved?: unknown
}

type Answers = Readonly<Record<string, Readonly<Record<string, Answering>>>>
type People = Readonly<Record<string, Partial<Person>>>

const { code, broken, nonMembers, withoutTeam } = readCases<{
  readonly code: Answers
  readonly broken: Answers
  readonly nonMembers: People
  readonly withoutTeam: People
}>('codehost')

function siteOf(codehost: FakeCodehost, urls: Site['urls']): Site {
  return {
    urls,
    begin: async (browser) => new URL(await goThere(browser), 'http://gateway'),
    redeemed: () => codehost.asked.filter((path) => path === tokenPath).length,
  }
}

/** Logs in while the code host answers otherwise. */
function withAnswers(codehost: FakeCodehost, answers: Answers): Record<string, Act> {
  const { port } = new URL(codehost.serverUrl)
  const acts = Object.entries(answers).flatMap(([name, described]) =>
    Object.entries(described).map(([what, answer]): [string, Act] => [
      `when the ${name} ${what}`,
      async (browser) => {
        const { moved, second } = { moved: undefined, second: undefined, ...(answer as Other) }
        const there = {
          status: 307,
          headers: { location: `${codehost.serverUrl}/there` },
          body: '',
        }
        const first = toFault(moved === undefined ? (answer as Described) : there, { port })
        const next = second === undefined ? first : toFault(second)
        codehost.faults.set('/there', toFault({ body: moved ?? {} }))
        codehost.faults.set(pathOf(name), (request, response) =>
          (request.url?.includes('page=2') ? next : first)(request, response),
        )
        const ended = await logIn(browser)
        codehost.faults.clear()
        return ended
      },
    ]),
  )
  return Object.fromEntries(acts)
}

/** Logs other accounts in. */
function as(codehost: FakeCodehost, people: People): Record<string, Act> {
  const acts = Object.entries(people).map(([name, person]): [string, Act] => [
    `to a member ${name}`,
    async (browser) => {
      codehost.person = { ...member, ...person }
      const ended = await logIn(browser)
      codehost.person = member
      return ended
    },
  ])
  return Object.fromEntries(acts)
}

t.test('no login at the code host comes of it', async (t) => {
  const codehost = await startCodehost(t, member)
  const env = codehostEnv(codehost, { ALLOWED_ORGANIZATIONS: 'acme, 7' })
  // Each lets in twenty logins a second.
  const { urls, api } = await startStack(t, { gateways: 4, env })
  const refusals = new Refusals(siteOf(codehost, urls))
  const records = async () => {
    const { body } = await api('GET', '/auth/v1/tokens?method=METHOD_CODEHOST&limit=100')
    return (body as { authentications: unknown[] }).authentications.length
  }
  t.equal((await logIn(openBrowser(...urls))).status, 302, 'as long as nothing goes wrong it does')
  const slow = await beginSlowLogins(codehost, urls)
  t.equal((await api('GET', '/api/v1/namespaces')).status, 200, 'and all else works')

  const none = { mayRedeem: false }
  const many = Array.from({ length: 250 }, (_, i) => ({ id: 1000 + i, login: `other-${i}` }))
  await t.test('callback', (t) => refusals.expect(t, [401], callbacks, none))
  await t.test('mixed up', (t) => refusals.expect(t, [401, 405], mixedUp, none))
  const before = await records()
  await t.test('code', (t) => refusals.expect(t, [401], withAnswers(codehost, code)))
  await t.test('broken', (t) => refusals.expect(t, [503], withAnswers(codehost, broken)))
  const others = { ...nonMembers, 'of 250 others': { organizations: many } }
  await t.test('not a member', (t) => refusals.expect(t, [401], as(codehost, others)))
  const unknown: Act = async (browser, site) => {
    const back = await site.begin(browser)
    back.searchParams.set('code', 'a'.repeat(40))
    return comeBack(browser, back)
  }
  await t.test('unknown code', (t) => refusals.expect(t, [401], { unknown }))
  t.equal(await records(), before)
  await t.test('used', (t) => refusals.expect(t, [401], used))
  for (const { status, body } of await Promise.all(slow)) {
    t.equal(status, 503)
    t.match(body, { code: 14, message: 'the code host is unavailable, try again' })
  }

  await t.test('and who is logged in already stays so', async (t) => {
    const browser = openBrowser(...urls)
    await logIn(browser)
    t.equal((await browser.send('GET', `${callbackPath}?code=a&state=b`)).status, 401)
    t.equal((await browser.send('GET', '/auth/v1/self')).status, 200)
  })
  t.comment(`${refusals.count} logins refused, none accepted`)
  t.ok(refusals.count >= 100, `${refusals.count} cases`)
})

/** The first login, which is the slowest, has to fit in. */
const stateLifetimeMs = 5000

t.test('nor where teams are listed', async (t) => {
  const codehost = await startCodehost(t, member)
  const env = {
    ...codehostEnv(codehost, { ALLOWED_ORGANIZATIONS: 'acme globex' }),
    SVC_AUTHENTICATION_METHODS_CODEHOST_ALLOWED_TEAMS_ACME: 'dev',
    SVC_AUTHENTICATION_SESSION_STATE_LIFETIME: `${stateLifetimeMs}ms`,
  }
  const { urls } = await startStack(t, { env })
  t.equal((await logIn(openBrowser(...urls))).status, 302)
  const refusals = new Refusals(siteOf(codehost, urls))
  await refusals.expect(t, [401], as(codehost, withoutTeam))
  const late: Act = async (browser, site) => {
    const back = await site.begin(browser)
    // The clock of the database, which decides, is read to a quarter of a second.
    await sleep(stateLifetimeMs + 1000)
    return comeBack(browser, back)
  }
  await refusals.expect(t, [401], { late }, { mayRedeem: false })
})

/** They are refused only by a timeout; meanwhile others can be played. */
async function beginSlowLogins(codehost: FakeCodehost, urls: Site['urls']) {
  const slow: readonly (readonly [string, ServerFault])[] = [
    [tokenPath, hangs],
    [tokenPath, drips],
    [pathOf('user'), hangs],
    [pathOf('user/orgs'), drips],
  ]
  const ends: Promise<Answer>[] = []
  for (const [path, fault] of slow) {
    const browser = openBrowser(...urls)
    const way = await goThere(browser)
    codehost.faults.set(path, fault)
    codehost.asked.length = 0
    ends.push(browser.send('GET', way))
    await waitFor(() => codehost.asked.includes(path))
    codehost.faults.clear()
  }
  return ends
}
