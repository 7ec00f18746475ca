import { setTimeout as sleep } from 'node:timers/promises'
import t, { type Test } from 'tap'
import { addLogin, openAuthDatabase, openLog } from '../../auth.test.support.ts'
import { generateToken } from '../../credentials/records/token.ts'
import { type SealedFor, sealForLogin } from '../login/seal.ts'
import { MembershipChecks } from './membership-checks.ts'
import { insertMembership } from './memberships.store.ts'

const hourMs = 3_600_000

async function open(t: Test) {
  const db = await openAuthDatabase(t)
  const { log, lines } = openLog()
  const asked: string[] = []
  const ended: string[] = []
  const answers = new Map<string, () => Promise<boolean>>()
  let nowMs = 0
  const startReplica = () => {
    const checks = new MembershipChecks({
      db,
      intervalMs: hourMs,
      log,
      now: () => nowMs,
      async isStillAdmitted(accessToken) {
        asked.push(accessToken)
        return answers.get(accessToken)?.() ?? true
      },
      async end(authenticationId) {
        ended.push(authenticationId)
        return true
      },
    })
    t.teardown(() => checks.close())
    return checks
  }

  /** @param ageMs how long ago its memberships were looked at */
  async function logIn(accessToken: string, ageMs: number): Promise<SealedFor> {
    const { clientToken, id: authenticationId } = await addLogin(db, { method: 'METHOD_CODEHOST' })
    const login = { authenticationId, clientToken }
    const sealed = sealForLogin('svc code host access token', accessToken, login)
    await insertMembership(db, login.authenticationId, sealed)
    await db.query(
      `UPDATE auth.codehost_memberships SET checked_at = now() - $2 * interval '1 millisecond'
        WHERE authentication_id = $1`,
      [login.authenticationId, ageMs],
    )
    return login
  }

  const pass = (ms: number) => {
    nowMs += ms
  }
  return { db, lines, asked, ended, answers, startReplica, logIn, pass }
}

/** Has them used, and waits until all that this leads to has been done. */
async function use(checks: MembershipChecks, ...logins: SealedFor[]): Promise<void> {
  for (const { authenticationId, clientToken } of logins) {
    checks.noteUse(authenticationId, clientToken)
  }
  await checks.settled()
}

t.test('asks when it is due, and not before', async (t) => {
  const { asked, ended, startReplica, logIn, pass } = await open(t)
  const checks = startReplica()
  const due = await logIn('due', hourMs)
  const fresh = await logIn('fresh', hourMs - 60_000)
  await use(checks, due, fresh)
  t.strictSame(asked, ['due'])
  pass(59_000)
  await use(checks, due, fresh)
  t.strictSame(asked, ['due'], 'without even looking into the database')
  t.strictSame(ended, [])
})

t.test('ends a login that has lost its membership', async (t) => {
  const { ended, answers, lines, startReplica, logIn } = await open(t)
  const checks = startReplica()
  const [gone, stays] = [await logIn('gone', hourMs), await logIn('stays', hourMs)]
  answers.set('gone', async () => false)
  await use(checks, gone, stays)
  t.strictSame(ended, [gone.authenticationId])
  t.match(lines, [{ msg: 'ended a login whose memberships are gone', id: gone.authenticationId }])
})

t.test('ends the login when its access token cannot be opened any more', async (t) => {
  const { asked, ended, startReplica, logIn } = await open(t)
  const { authenticationId } = await logIn('sealed', hourMs)
  await use(startReplica(), { authenticationId, clientToken: generateToken() })
  t.strictSame(asked, [])
  t.strictSame(ended, [authenticationId])
})

t.test('while the code host is unavailable, the login stays and is checked soon', async (t) => {
  const { asked, ended, answers, lines, startReplica, logIn, pass } = await open(t)
  const checks = startReplica()
  const login = await logIn('unclear', hourMs)
  answers.set('unclear', () => Promise.reject(new Error('unavailable')))
  await use(checks, login)
  t.strictSame(ended, [])
  t.match(lines, [{ msg: 'cannot check whether a login is still allowed', level: 40 }])
  await use(checks, login)
  t.equal(asked.length, 1, 'not at once')
  pass(60_000)
  await use(checks, login)
  t.equal(asked.length, 1, 'for in the database it is not due yet')
})

for (const [name, dueInMs] of [
  ['is allowed', hourMs],
  ['unclear', 60_000],
] as const) {
  t.test(`a login that is ${name} is due again for any replica`, async (t) => {
    const { db, asked, answers, startReplica, logIn } = await open(t)
    answers.set('unclear', () => Promise.reject(new Error('unavailable')))
    await use(startReplica(), await logIn(name, hourMs))
    const [row] = await db.query<{ inMs: number }>(
      `SELECT extract(epoch FROM checked_at - now())::float8 * 1000 + $1 AS "inMs"
         FROM auth.codehost_memberships`,
      [hourMs],
    )
    const inMs = row?.inMs ?? 0
    t.ok(inMs > dueInMs - 10_000 && inMs <= dueInMs, `in ${inMs} ms`)
    t.equal(asked.length, 1)
  })
}

t.test('of several replicas one asks', async (t) => {
  const { asked, startReplica, logIn } = await open(t)
  const replicas = Array.from({ length: 5 }, startReplica)
  const logins: SealedFor[] = []
  for (let i = 0; i < 20; i += 1) logins.push(await logIn(`login ${i}`, hourMs))
  await Promise.all(replicas.map((checks) => use(checks, ...logins)))
  t.equal(asked.length, 20)
  t.equal(new Set(asked).size, 20)
})

t.test('asks about few at once, however many are used', async (t) => {
  const { answers, asked, startReplica, logIn } = await open(t)
  const checks = startReplica()
  let atOnce = 0
  let most = 0
  const logins: SealedFor[] = []
  for (let i = 0; i < 30; i += 1) {
    const accessToken = `login ${i}`
    logins.push(await logIn(accessToken, hourMs))
    answers.set(accessToken, async () => {
      atOnce += 1
      most = Math.max(most, atOnce)
      await sleep(5)
      atOnce -= 1
      return true
    })
  }
  await use(checks, ...logins, ...logins)
  t.equal(asked.length, 30)
  t.equal(most, 4)
})

t.test('a login that was made when memberships did not matter ends', async (t) => {
  const { db, asked, ended, startReplica, logIn } = await open(t)
  const login = await logIn('any', 0)
  await db.query('DELETE FROM auth.codehost_memberships')
  await use(startReplica(), login)
  t.strictSame([asked, ended], [[], [login.authenticationId]])
})

t.test('a login that ends takes its access token along', async (t) => {
  const { db, logIn } = await open(t)
  const { authenticationId } = await logIn('any', 0)
  await db.query('DELETE FROM auth.authentications WHERE id = $1', [authenticationId])
  t.strictSame(await db.query('SELECT FROM auth.codehost_memberships'), [])
})

t.test('once it is closed nothing is asked', async (t) => {
  const { asked, startReplica, logIn } = await open(t)
  const checks = startReplica()
  const login = await logIn('late', hourMs)
  await checks.close()
  await use(checks, login)
  t.strictSame(asked, [])
})
