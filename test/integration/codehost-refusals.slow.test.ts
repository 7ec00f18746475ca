import { setTimeout as sleep } from 'node:timers/promises'
import { waitFor } from '@svc/runtime/testing'
import t from 'tap'
import { openBrowser } from '../support/browser.ts'
import { type FakeCodehost, startCodehost } from '../support/codehost.ts'
import { callbackPath, codehostEnv, goThere, logIn } from '../support/codehost-login.ts'
import type { Answer } from '../support/http.ts'
import { startStack } from '../support/stack.ts'
import { cookieCases, doubledCases, stateCases } from './codehost-refusals.flow.ts'
import {
  answerCases,
  brokenCases,
  codeCases,
  slowCases,
  strangerCases,
} from './codehost-refusals.provider.ts'
import { acme, as, type Cases, dev, member, Refusals } from './codehost-refusals.ts'

const otherMethods: Cases = Object.fromEntries(
  ['POST', 'PUT', 'DELETE'].map((method) => [
    `by ${method}`,
    async ({ browser }) => browser.send(method, await goThere(browser)),
  ]),
)

/** Each lets in twenty logins a second. */
const gateways = 4

let count = 0
let accepted = 0

t.test('no login at the code host comes of it', async (t) => {
  const codehost = await startCodehost(t, member)
  const env = codehostEnv(codehost, { ALLOWED_ORGANIZATIONS: 'acme, 7' })
  const { urls, api } = await startStack(t, { gateways, env })
  const refusals = new Refusals(codehost, urls)
  const records = async () => {
    const { body } = await api('GET', '/auth/v1/tokens?method=METHOD_CODEHOST&limit=100')
    return (body as { authentications: unknown[] }).authentications.length
  }

  t.equal((await logIn(openBrowser(...urls))).status, 302, 'as long as nothing goes wrong it does')

  const slow = await beginSlowLogins(codehost, urls)
  t.equal((await api('GET', '/api/v1/namespaces')).status, 200, 'and all else goes on')

  const never = { mayAsk: false }
  const perhaps = { mayAsk: true }
  await t.test('state', (t) => refusals.expect(t, { status: 401, ...never }, stateCases))
  await t.test('twice', (t) => refusals.expect(t, { status: 401, ...never }, doubledCases))
  await t.test('answer', (t) => refusals.expect(t, { status: 401, ...never }, answerCases))
  await t.test('method', (t) => refusals.expect(t, { status: 405, ...never }, otherMethods))
  const before = await records()
  await t.test('code', (t) => refusals.expect(t, { status: 401, ...perhaps }, codeCases))
  await t.test('stranger', (t) => refusals.expect(t, { status: 401, ...perhaps }, strangerCases))
  await t.test('broken', (t) => refusals.expect(t, { status: 503, ...perhaps }, brokenCases))
  t.equal(await records(), before + 1, 'but the one from which a code was stolen')
  await t.test('cookie', (t) => refusals.expect(t, { status: 401, ...perhaps }, cookieCases))

  await t.test('slow', async (t) => {
    for (const answer of await Promise.all(slow)) {
      count += 1
      if (answer.status < 400) accepted += 1
      t.equal(answer.status, 503)
    }
  })

  await t.test('and who is logged in already stays so', async (t) => {
    const browser = openBrowser(...urls)
    await logIn(browser)
    t.equal((await browser.send('GET', `${callbackPath}?code=a&state=b`)).status, 401)
    t.equal((await browser.send('GET', '/auth/v1/self')).status, 200)
  })
  count += refusals.count
  accepted += refusals.accepted
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
  const refusals = new Refusals(codehost, urls)
  const globex = { id: 102, login: 'globex' }
  await refusals.expect(
    t,
    { status: 401, mayAsk: true },
    {
      'to members without a team': as({ teams: [] }),
      'to members of another team': as({ teams: [{ ...dev, slug: 'ops' }] }),
      'to those of a team of the same name elsewhere': as({
        teams: [{ ...dev, organization: globex }],
      }),
      'to members of an organization without listed teams': as({
        organizations: [globex],
        teams: [{ ...dev, organization: globex }],
      }),
      'to those of the team who are no members': as({ organizations: [globex] }),
      'to those of a team that has its name as id': as({
        organizations: [acme],
        teams: [{ id: 5, slug: '201', organization: acme }],
      }),
      'to a login that takes longer than allowed': async ({ browser }) => {
        const way = await goThere(browser)
        // The clock of the database, by which it is told, is read to a quarter of a second.
        await sleep(stateLifetimeMs + 1000)
        return browser.send('GET', way)
      },
    },
  )
  count += refusals.count
  accepted += refusals.accepted
})

t.test('that makes', async (t) => {
  t.comment(`${count} logins at the code host that were to be refused, ${accepted} accepted`)
  t.ok(count >= 100, `${count} cases`)
  t.equal(accepted, 0)
})

/** They are told only when it takes too long; meanwhile others can be played. */
async function beginSlowLogins(codehost: FakeCodehost, urls: readonly [string, ...string[]]) {
  const ends: Promise<Answer>[] = []
  for (const [path, fault] of slowCases) {
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
