import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { text } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'
import { createTestDatabase, type TestDatabase } from '@svc/database/testing'
import t, { type Test } from 'tap'
import {
  as,
  firstToken,
  openAuth,
  openAuthDatabase,
  openLog,
  settingsFor,
} from '../../auth.test.support.ts'
import { createToken, readTokenOptions } from './create-command.ts'

const main = fileURLToPath(new URL('../../main.js', import.meta.url))

/** Runs the program, without any of what the services know each other by. */
async function run(t: Test, words: readonly string[], env: Readonly<Record<string, string>>) {
  const child = spawn(process.execPath, [main, 'token', 'create', ...words], {
    env: { PATH: process.env.PATH, HOME: '/nonexistent', ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  t.teardown(() => void child.kill('SIGKILL'))
  const { stdout, stderr } = child
  const [output, errors] = await Promise.all([text(stdout), text(stderr), once(child, 'close')])
  return { exitCode: child.exitCode, output, errors }
}

/** The same without a process of its own. */
async function create(
  db: Pick<TestDatabase, 'url'>,
  values: Readonly<Record<string, string | string[]>>,
  env: Readonly<Record<string, string>> = {},
) {
  const { log, lines } = openLog()
  const context = { settings: settingsFor(db.url, env), log }
  const token = await createToken(readTokenOptions(values), context)
  return { token, lines }
}

const tokenPattern = /^svc_[\w-]{43}_\w{6}$/
const allRows = (db: TestDatabase) =>
  db.query('SELECT * FROM auth.authentications ORDER BY position')

t.test('prints a token that the running service accepts, and changes no other', async (t) => {
  const { authentications, db } = await openAuth(t)
  const before = await allRows(db)
  const { exitCode, output, errors } = await run(t, ['--name', 'found again'], {
    SVC_DB_URL: db.url,
  })
  t.equal(exitCode, 0)
  t.match(output.trimEnd(), tokenPattern, 'the token alone is on standard output')
  t.equal(output.split('\n').length, 2)
  t.notMatch(errors, output.trim())
  t.match(errors, /"tokenId":"[^"]+","name":"found again",.*"msg":"created a token"/)

  const self = await authentications.getSelf({}, as(output.trim()))
  t.match(self.metadata, { 'io.svc.auth.token.name': 'found again' })
  t.equal(self.expiresAt, undefined)
  t.strictSame((await allRows(db)).slice(0, before.length), before)
  t.equal((await allRows(db)).length, before.length + 1)
})

t.test('needs no service that has run before', async (t) => {
  const db = await createTestDatabase(t)
  const { token } = await create(db, { name: 'first' })
  t.match(token, tokenPattern)
  const { authentications, lines } = await openAuth(t, {}, db)
  t.match((await authentications.getSelf({}, as(token))).metadata, {
    'io.svc.auth.token.name': 'first',
  })
  t.notOk(
    lines.some((line) => 'client_token' in line),
    'there is a token, so that the service makes none',
  )
})

t.test('waits for the migrations where it may not make them, and says so', async (t) => {
  const db = await createTestDatabase(t)
  const creating = create(db, { name: 'early' }, { SVC_DB_AUTO_MIGRATE: 'false' })
  await t.rejects(creating, { code: 'unavailable', message: /Run the migrations\.$/ })
})

t.test('a token can be restricted as by the API', async (t) => {
  const { authentications, db } = await openAuth(t)
  const allowedAddresses = ['10.0.0.0/8', '::1']
  const { lines } = await create(db, {
    name: 'shop',
    description: 'For the shop',
    namespace: 'web',
    expires: '2100-01-02T03:04:05Z',
    'allowed-address': allowedAddresses,
  })
  const logged = { msg: 'created a token', name: 'shop', namespace: 'web', by: 'command line' }
  const line = lines.at(-1)
  t.match(line, logged)
  const id = String(line?.tokenId)
  t.match(await authentications.getAuthentication({ id }, as(firstToken)), {
    metadata: {
      'io.svc.auth.token.description': 'For the shop',
      'io.svc.auth.token.namespace': 'web',
    },
    expiresAt: { seconds: Date.parse('2100-01-02T03:04:05Z') / 1000 },
    allowedAddresses,
  })
})

t.test('the expiry can be a duration from now', async (t) => {
  const db = await openAuthDatabase(t)
  await create(db, { name: 'short', expires: '36h' })
  const [row] = await db.query<{ isRight: boolean }>(
    `SELECT expires_at - now() BETWEEN interval '35 h 59 min' AND interval '36 h' AS "isRight"
       FROM auth.authentications`,
  )
  t.ok(row?.isRight)
})

t.test('where static tokens are off, none is made', async (t) => {
  const db = await openAuthDatabase(t)
  const off = { SVC_AUTHENTICATION_METHODS_TOKEN_ENABLED: 'false' }
  await t.rejects(create(db, { name: 'any' }, off), {
    code: 'failed_precondition',
    message: /^authentication\.methods\.token\.enabled is false/,
  })
  t.strictSame(await allRows(db), [])
})

t.test('what cannot be meant is refused, with a usage line', async (t) => {
  const refusals: [values: Record<string, string | string[]>, message: RegExp][] = [
    [{}, /^--name is missing$/],
    [{ name: ' ' }, /^invalid field name: must not be empty$/],
    [{ name: 'x', namespace: 'a b' }, /^invalid field namespaceKey: /],
    [{ name: 'x', 'allowed-address': ['10.0.0.0/64'] }, /^invalid field allowedAddresses: /],
  ]
  for (const expires of ['soon', '', '24', '-1h', '0s', '2020-01-01T00:00:00Z', '2100-01-01']) {
    refusals.push([{ name: 'x', expires }, /^--expires must be /])
  }
  for (const [values, message] of refusals) {
    t.throws(() => readTokenOptions(values), { code: 'invalid_argument', message })
  }
  const db = await openAuthDatabase(t)
  const { exitCode, output, errors } = await run(t, ['--nme', 'x'], { SVC_DB_URL: db.url })
  t.equal(exitCode, 2)
  t.equal(output, '')
  t.match(errors, /^Unknown option '--nme'\nUsage: svc-auth token create --name NAME /)
  t.strictSame(await allRows(db), [])
})
