import { DatabaseClock } from '@svc/database'
import { Method } from '@svc/proto/auth/v1/authentications'
import fc from 'fast-check'
import t, { type Test } from 'tap'
import { isAccepted, openAuthDatabase, unauthenticated } from '../../auth.test.support.ts'
import { generateToken } from '../records/token.ts'
import { authenticate } from './authenticate.ts'
import { makeToken, openLookup, openNowhere } from './lookup.test.support.ts'

/** A lookup with a clock that the test sets. */
async function openAt(t: Test, nowMs = 1_800_000_000_000) {
  const db = await openAuthDatabase(t)
  const time = { ms: 0 }
  const clock = new DatabaseClock({ monotonicMs: () => time.ms })
  await clock.synchronize(async () => nowMs)
  const set = (ms: number) => {
    time.ms = ms - nowMs
  }
  return { db, set, ...(await openLookup(db, { clock })) }
}

t.test('a token is refused from the first instant of its expiry on', async (t) => {
  const { db, set, deciding } = await openAt(t)
  const expiry = fc.integer({ min: 1_800_000_000_000_000, max: 1_800_000_100_000_000 })
  await fc.assert(
    fc.asyncProperty(expiry, async (micros) => {
      const expiresAt = { seconds: Math.floor(micros / 1e6), nanos: (micros % 1e6) * 1000 }
      const { clientToken } = await makeToken(db, expiresAt)
      const isGoodAt = (ms: number) => {
        set(ms)
        return isAccepted(authenticate(deciding, clientToken))
      }
      const atMs = micros / 1000
      const good = [await isGoodAt(atMs - 1), await isGoodAt(atMs - 0.01)]
      const refused = [await isGoodAt(atMs), await isGoodAt(atMs + 0.01), await isGoodAt(atMs + 1)]
      return good.every((is) => is) && !refused.some((is) => is)
    }),
    { numRuns: 50 },
  )
})

t.test(
  'an identity has its owner and how long it is valid, by the clock of the database',
  async (t) => {
    const { db, set, deciding } = await openAt(t)
    const { clientToken, tokenHash, id } = await makeToken(db, {
      seconds: 1_800_000_010,
      nanos: 500_000,
    })
    set(1_800_000_001_000)
    t.match(await authenticate(deciding, clientToken), {
      authentication: { id },
      name: 'test',
      namespaceKey: '',
      tokenHash: Buffer.from(tokenHash, 'base64url'),
      expiresInMs: 9000,
    })
    const eternal = await makeToken(db)
    t.equal((await authenticate(deciding, eternal.clientToken)).expiresInMs, undefined)
  },
)

t.test('whatever is wrong with a credential, the answer is the same', async (t) => {
  const db = await openAuthDatabase(t)
  const { deciding } = await openLookup(db)
  const expired = await makeToken(db, { seconds: 1, nanos: 0 })
  const deleted = await makeToken(db)
  await db.query('DELETE FROM auth.authentications WHERE id = $1', [deleted.id])
  const mistyped = `${generateToken().slice(0, -1)}!`
  const known = [expired.clientToken, deleted.clientToken, mistyped, generateToken()]
  const bad = [...known, '', ' ', 'x'.repeat(5000), 'chosen-but-unknown', 'ä', '\0']
  for (const clientToken of bad) {
    const refusal = await authenticate(deciding, clientToken).catch((error) => error)
    const { code, reason, message, cause } = refusal
    t.strictSame({ code, reason, message, cause }, { ...unauthenticated, cause: undefined })
  }
})

t.test('ten thousand mistyped tokens cost no lookup', async (t) => {
  const { deciding, watched } = await openLookup(await openAuthDatabase(t))
  for (let i = 0; i < 10_000; i += 1) {
    const token = generateToken()
    const place = 4 + (i % 50)
    const mistyped =
      token.slice(0, place) + (token[place] === 'x' ? 'y' : 'x') + token.slice(place + 1)
    await authenticate(deciding, mistyped).catch(() => {})
  }
  t.equal(watched.count, 0)
})

t.test('an unavailable database is no answer about the credential', async (t) => {
  const { deciding } = await openLookup(await openAuthDatabase(t), { source: openNowhere(t) })
  await t.rejects(authenticate(deciding, generateToken()), { code: 'unavailable' })
})

t.test('a token is refused while its method does not allow it', async (t) => {
  const { db, deciding } = await openAt(t, Date.now())
  const { clientToken } = await makeToken(db)
  const hooks = { section: 'token', managesTokens: true, isAllowed: () => false }
  const refusing = { ...deciding, hooks: new Map([[Method.METHOD_TOKEN, hooks]]) }
  await t.rejects(authenticate(refusing, clientToken), unauthenticated)
  t.match(await authenticate(deciding, clientToken), { namespaceKey: '' })
})

t.test('a login ends when it has not been used for a while, or after its lifetime', async (t) => {
  const { db, clock, set } = await openAt(t)
  const beginning = 1_800_000_000
  const { clientToken, id } = await makeToken(db, { seconds: beginning + 86_400, nanos: 0 })
  await db.query(
    `UPDATE auth.authentications
        SET idle_timeout = '10 minutes', method = 'METHOD_CODEHOST', created_at = to_timestamp($2)
      WHERE id = $1`,
    [id, beginning],
  )
  const leftAt = async (seconds: number) => {
    const { deciding } = await openLookup(db, { clock })
    set((beginning + seconds) * 1000)
    return authenticate(deciding, clientToken).then(
      ({ expiresInMs }) => expiresInMs,
      ({ code }) => code,
    )
  }
  const useAt = (seconds: number) =>
    db.query('UPDATE auth.authentications SET last_used_at = to_timestamp($2) WHERE id = $1', [
      id,
      beginning + seconds,
    ])
  // Of the last two minutes nothing may be known yet.
  t.equal(await leftAt(0), 720_000)
  t.equal(await leftAt(719), 1000)
  t.equal(await leftAt(720), 'unauthenticated')
  await useAt(600)
  t.equal(await leftAt(720), 600_000)
  t.equal(await leftAt(1319), 1000)
  t.equal(await leftAt(1320), 'unauthenticated')
  await useAt(86_000)
  t.equal(await leftAt(86_399), 1000, 'however much it is used')
  t.equal(await leftAt(86_400), 'unauthenticated')
})

t.test('the secret before is refused from the first instant of its deadline on', async (t) => {
  const { db, set, deciding } = await openAt(t)
  const { clientToken, id } = await makeToken(db)
  await db.query(
    `UPDATE auth.authentications
        SET previous_token_hash = token_hash, previous_expires_at = to_timestamp(1800000100.0005),
            token_hash = sha256('another')
      WHERE id = $1`,
    [id],
  )
  const isGoodAt = (ms: number) => {
    set(ms)
    return isAccepted(authenticate(deciding, clientToken))
  }
  t.ok(await isGoodAt(1_800_000_100_000))
  t.ok(await isGoodAt(1_800_000_100_000.4))
  for (const ms of [0.5, 0.6, 1, 1000]) t.notOk(await isGoodAt(1_800_000_100_000 + ms))
})

t.test('a token that was made to expire is refused, however late the clock here is', async (t) => {
  const { db, deciding, revocations } = await openAt(t)
  const { clientToken, tokenHash } = await makeToken(db, { seconds: 1_800_000_000, nanos: 5e8 })
  t.match(await authenticate(deciding, clientToken), { expiresInMs: 500 })
  revocations.accept([{ seq: 1, tokenHash, ageMs: 0, validForMs: 100_000 }])
  t.match(await authenticate(deciding, clientToken), { expiresInMs: 500 })
  revocations.accept([{ seq: 1, tokenHash, ageMs: 0, validForMs: 0 }])
  await t.rejects(authenticate(deciding, clientToken), { code: 'unauthenticated' })
})
