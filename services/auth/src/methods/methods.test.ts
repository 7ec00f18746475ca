import { randomBytes } from 'node:crypto'
import type { TestDatabase } from '@svc/database/testing'
import { Method } from '@svc/proto/auth/v1/authentications'
import t from 'tap'
import { as, openAuth, openAuthDatabase } from '../auth.test.support.ts'
import { generateToken, hashToken, toBytes } from '../credentials/records/token.ts'

interface Row {
  readonly method: Method
  /** Left out: as earlier releases wrote it. */
  readonly isSession?: boolean
}

async function insert(db: TestDatabase, { method, isSession }: Row) {
  const clientToken = generateToken()
  await db.query(
    `INSERT INTO auth.authentications (method, token_hash, metadata, is_session, issuer, subject)
     VALUES ($1, $2, '{"io.svc.auth.oidc.provider": "corp"}', $3, 'https://github.com', '42')`,
    [method, toBytes(hashToken(clientToken)), isSession ?? null],
  )
  return clientToken
}

t.test('sessions of a disabled method are refused, tokens of programs stay valid', async (t) => {
  const { db, accepts } = await openAuth(t)
  const rows: readonly [Row, boolean][] = [
    [{ method: Method.METHOD_OIDC, isSession: true }, false],
    [{ method: Method.METHOD_CODEHOST, isSession: true }, false],
    [{ method: Method.METHOD_OIDC }, false],
    [{ method: Method.METHOD_CODEHOST }, false],
    [{ method: Method.METHOD_ORCHESTRATOR, isSession: false }, true],
    [{ method: Method.METHOD_TOKEN, isSession: false }, true],
  ]
  for (const [row, isValid] of rows) {
    const clientToken = await insert(db, row)
    t.equal(await accepts(clientToken), isValid, JSON.stringify(row))
  }
})

t.test('sessions of a method that is enabled are valid', async (t) => {
  const { db, identities, sessions } = await openAuth(t, {
    SVC_SERVER_PUBLIC_URL: 'https://flags.example.com',
    SVC_AUTHENTICATION_METHODS_CODEHOST_ENABLED: 'true',
    SVC_AUTHENTICATION_METHODS_CODEHOST_CLIENT_ID: 'flags',
    SVC_AUTHENTICATION_METHODS_CODEHOST_CLIENT_SECRET: 'a-secret',
  })
  for (const isSession of [true, undefined]) {
    const clientToken = await insert(db, {
      method: Method.METHOD_CODEHOST,
      ...(isSession !== undefined && { isSession }),
    })
    t.match(await identities.authenticate({ clientToken }), { isSession: true }, `${isSession}`)
    t.strictSame(await sessions.signOut({}, as(clientToken)), { logoutUrl: '' })
  }
})

t.test('a new method needs no migration, and no other text is a method', async (t) => {
  const db = await openAuthDatabase(t)
  const insertMethod = (method: string) =>
    db.query('INSERT INTO auth.authentications (method, token_hash) VALUES ($1, $2)', [
      method,
      randomBytes(32),
    ])
  await t.resolves(insertMethod('METHOD_LATER'))
  for (const method of ['', 'token', 'METHOD_', 'METHOD_LATER2', 'METHOD_X;']) {
    await t.rejects(insertMethod(method), method)
  }
})
