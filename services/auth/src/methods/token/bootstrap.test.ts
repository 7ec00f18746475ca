import type { TestDatabase } from '@svc/database/testing'
import t from 'tap'
import {
  testEvents as events,
  openAuthDatabase,
  openLog,
  settingsFor,
  silent,
} from '../../auth.test.support.ts'
import { hashToken } from '../../credentials/records/token.ts'
import { bootstrap } from './bootstrap.ts'

const variable = (name: string) => `SVC_AUTHENTICATION_METHODS_TOKEN_BOOTSTRAP_${name}`

const settings = (env: Record<string, string> = {}) =>
  settingsFor('postgres://svc@127.0.0.1/svc', env).authentication.methods.token.bootstrap

const description = {
  'io.svc.auth.token.description': 'Initial token created when bootstrapping authentication',
}

interface Row {
  readonly tokenHash: string
  readonly metadata: Record<string, string>
  readonly expiresInMs: number | null
}

const readTokens = (db: TestDatabase) =>
  db.query<Row>(
    `SELECT translate(rtrim(encode(token_hash, 'base64'), '='), '+/', '-_') AS "tokenHash",
            metadata, (extract(epoch FROM expires_at - now()) * 1000)::float8 AS "expiresInMs"
       FROM auth.authentications ORDER BY position`,
  )

/** One start of a service: @returns the tokens that it logged, and its other lines */
async function start(db: TestDatabase, env?: Record<string, string>) {
  const { log, lines } = openLog()
  const returned = await bootstrap(db, settings(env), { log, events })
  const tokens = lines.flatMap((line) => (line.client_token ? [String(line.client_token)] : []))
  if (returned !== tokens[0]) throw new Error(`it returns ${returned} and logs ${tokens}`)
  return { tokens, lines, messages: lines.map(({ msg }) => String(msg)) }
}

t.test('the first start makes a token and logs it', async (t) => {
  const db = await openAuthDatabase(t)
  const { tokens, lines } = await start(db)
  const name = 'initial_bootstrap_token'
  const msg = 'created bootstrap token; delete it after creating your own'
  t.match(lines, [{ level: 40, name, client_token: /^svc_/, expires: 'never', msg }])
  t.match(await readTokens(db), [
    {
      tokenHash: hashToken(tokens[0] ?? ''),
      metadata: { 'io.svc.auth.token.name': name, ...description },
      expiresInMs: null,
    },
  ])
})

t.test('later starts make none, and warn of one that never expires', async (t) => {
  const db = await openAuthDatabase(t)
  await start(db)
  for (let i = 0; i < 20; i += 1) {
    const { tokens, messages } = await start(db)
    t.strictSame(tokens, [])
    t.strictSame(messages, ['initial_bootstrap_token never expires: delete it when you can'])
  }
  t.equal((await readTokens(db)).length, 1)
})

t.test('deleting the token does not bring it back; force does, once', async (t) => {
  const db = await openAuthDatabase(t)
  await start(db)
  await db.query('DELETE FROM auth.authentications')
  t.strictSame((await start(db)).lines, [])
  t.equal((await readTokens(db)).length, 0)
  const force = { [variable('FORCE')]: 'true' }
  t.equal((await start(db, force)).tokens.length, 1)
  const { tokens, lines } = await start(db, force)
  t.strictSame(tokens, [])
  t.match(lines[0], {
    level: 40,
    name: 'initial_bootstrap_token',
    msg: 'bootstrap.force made no token: initial_bootstrap_token is still good; svc-auth token create --name NAME makes another',
  })
  t.equal((await readTokens(db)).length, 1)
})

t.test('force replaces a token that has expired', async (t) => {
  const db = await openAuthDatabase(t)
  await start(db)
  await db.query('UPDATE auth.authentications SET expires_at = now()')
  t.strictSame((await start(db)).tokens, [])
  t.equal((await start(db, { [variable('FORCE')]: 'true' })).tokens.length, 1)
})

t.test('force makes the chosen token anew when it has expired', async (t) => {
  const db = await openAuthDatabase(t)
  const token = 'chosen-Qz83hfKw02-Lm4_xv97TbaP0'
  const env = { [variable('TOKEN')]: token, [variable('FORCE')]: 'true' }
  await start(db, { ...env, [variable('EXPIRATION')]: '24h' })
  await db.query('UPDATE auth.authentications SET expires_at = now()')
  t.strictSame((await start(db, env)).tokens, [token])
  const tokens = await readTokens(db)
  t.match(tokens, [{ tokenHash: hashToken(token), expiresInMs: null }])
  t.equal(tokens.length, 1)
})

t.test('also when it had been given another secret meanwhile', async (t) => {
  const db = await openAuthDatabase(t)
  const token = 'chosen-Qz83hfKw02-Lm4_xv97TbaP0'
  const env = { [variable('TOKEN')]: token, [variable('FORCE')]: 'true' }
  await start(db, env)
  await db.query(
    `UPDATE auth.authentications
        SET token_hash = sha256('another'), previous_token_hash = token_hash,
            previous_expires_at = now(), expires_at = now()`,
  )
  t.strictSame((await start(db, env)).tokens, [token])
  const tokens = await readTokens(db)
  t.match(tokens, [{ tokenHash: hashToken(token) }])
  t.equal(tokens.length, 1)
})

t.test('where there are static tokens already, none is made', async (t) => {
  const db = await openAuthDatabase(t)
  const add = (method: string) =>
    db.query(
      `INSERT INTO auth.authentications (method, token_hash, expires_at)
       VALUES ($1, sha256($1::text::bytea), now() - interval '1 year')`,
      [method],
    )
  await add('METHOD_TOKEN')
  t.strictSame((await start(db)).lines, [])
  await db.query('DELETE FROM auth.authentications')
  await add('METHOD_OIDC')
  t.equal((await start(db)).tokens.length, 1, 'logins do not count')
})

t.test('the token can be chosen, and given an expiry', async (t) => {
  const db = await openAuthDatabase(t)
  const token = 'chosen-Qz83hfKw02-Lm4_xv97TbaP0'
  const env = { [variable('TOKEN')]: token, [variable('EXPIRATION')]: '24h' }
  const { tokens, lines } = await start(db, env)
  t.strictSame(tokens, [token])
  t.match(lines[0]?.expires, /^\d{4}-\d\d-\d\dT[\d:.]+Z$/)
  const [row] = await readTokens(db)
  t.equal(row?.tokenHash, hashToken(token))
  t.ok(Math.abs((row?.expiresInMs ?? 0) - 86_400_000) < 60_000)
  t.strictSame((await start(db, env)).lines, [], 'it expires, so there is no warning')
})

t.test('the token can be given metadata, a name of its own included', async (t) => {
  const db = await openAuthDatabase(t)
  const metadata = { owner: 'platform', 'io.svc.auth.token.name': 'root' }
  await bootstrap(db, { ...settings(), metadata }, { log: silent, events })
  const [row] = await readTokens(db)
  t.strictSame(row?.metadata, { ...metadata, ...description })
})

t.test('a chosen token that exists already is left alone', async (t) => {
  const db = await openAuthDatabase(t)
  const env = { [variable('TOKEN')]: 'Qz83hfKw02-Lm4_xv97TbaP0', [variable('FORCE')]: 'true' }
  await start(db, env)
  await db.query('DELETE FROM auth.bootstrap')
  const { tokens, messages } = await start(db, env)
  t.strictSame(tokens, [])
  t.match(messages, ['bootstrap.token is the value of a token that exists already; made no other'])
  t.equal((await readTokens(db)).length, 1)
})

t.test('a weak choice is warned of, a mistyped one refused', async (t) => {
  const db = await openAuthDatabase(t)
  const weak = await start(db, { [variable('TOKEN')]: 'password12345678' })
  t.match(weak.messages, ['bootstrap.token is weak: better take 32 or more random characters'])
  const mistyped = `svc_${'A'.repeat(43)}_000000`
  await t.rejects(start(db, { [variable('TOKEN')]: mistyped }), {
    code: 'failed_precondition',
    reason: 'bootstrap_token_mistyped',
  })
})

t.test('the logging can be turned off', async (t) => {
  const db = await openAuthDatabase(t)
  const env = { [variable('TOKEN')]: 'Qz83hfKw02-Lm4_xv97TbaP0', [variable('LOG')]: 'false' }
  const { tokens, lines } = await start(db, env)
  t.strictSame(tokens, [])
  t.match(lines, [{ name: 'initial_bootstrap_token' }])
  t.equal((await readTokens(db)).length, 1)
})

t.test('one that was stopped in the middle has left nothing', async (t) => {
  const db = await openAuthDatabase(t)
  const { log } = openLog()
  log.warn = () => {
    throw new Error('stopped')
  }
  await t.rejects(bootstrap(db, settings(), { log, events }), { message: 'stopped' })
  t.equal((await readTokens(db)).length, 0)
  t.equal((await start(db)).tokens.length, 1)
})
