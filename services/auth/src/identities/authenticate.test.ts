import { openDatabase } from '@svc/database'
import fc from 'fast-check'
import t from 'tap'
import { openAuthDatabase, silent } from '../auth.test.support.ts'
import { RecentRevocations } from '../revocations/recent-revocations.ts'
import { generateToken } from '../tokens/token.ts'
import { authenticate } from './authenticate.ts'
import { DatabaseClock } from './database-clock.ts'
import { makeToken, openLookup } from './lookup.test.support.ts'
import { noTokenCache } from './token-cache.ts'
import { TokenLookup } from './token-lookup.ts'

/** A clock that shows what it is told to. */
async function clockAt(nowMs: number) {
  const time = { ms: 0 }
  const clock = new DatabaseClock(() => time.ms)
  await clock.synchronize(async () => nowMs)
  const set = (ms: number) => {
    time.ms = ms - nowMs
  }
  return { clock, set }
}

const admits = () => true

t.test('a token is refused from the first instant of its expiry on', async (t) => {
  const db = await openAuthDatabase(t)
  const { clock, set } = await clockAt(1_800_000_000_000)
  const { lookup } = await openLookup(db, { clock })
  const expiry = fc.integer({ min: 1_800_000_000_000_000, max: 1_800_000_100_000_000 })
  await fc.assert(
    fc.asyncProperty(expiry, async (micros) => {
      const expiresAt = { seconds: Math.floor(micros / 1e6), nanos: (micros % 1e6) * 1000 }
      const { clientToken } = await makeToken(db, expiresAt)
      const isGoodAt = (ms: number) => {
        set(ms)
        return authenticate({ lookup, clock, admits }, clientToken).then(
          () => true,
          () => false,
        )
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
  'an identity tells whose it is and for how long, by the clock of the database',
  async (t) => {
    const db = await openAuthDatabase(t)
    const { clock, set } = await clockAt(1_800_000_000_000)
    const { lookup } = await openLookup(db, { clock })
    const { clientToken, tokenHash, id } = await makeToken(db, {
      seconds: 1_800_000_010,
      nanos: 500_000,
    })
    set(1_800_000_001_000)
    t.match(await authenticate({ lookup, clock, admits }, clientToken), {
      authentication: { id },
      name: 'test',
      namespaceKey: '',
      tokenHash: Buffer.from(tokenHash, 'base64url'),
      expiresInMs: 9000,
    })
    const eternal = await makeToken(db)
    t.equal(
      (await authenticate({ lookup, clock, admits }, eternal.clientToken)).expiresInMs,
      undefined,
    )
  },
)

t.test('whatever is wrong with a credential, the answer is the same', async (t) => {
  const db = await openAuthDatabase(t)
  const { lookup, clock } = await openLookup(db)
  const expired = await makeToken(db, { seconds: 1, nanos: 0 })
  const deleted = await makeToken(db)
  await db.query('DELETE FROM auth.authentications WHERE id = $1', [deleted.id])
  const mistyped = `${generateToken().slice(0, -1)}!`
  const bad = [
    generateToken(),
    expired.clientToken,
    deleted.clientToken,
    mistyped,
    '',
    ' ',
    'x'.repeat(5000),
    'chosen-but-unknown',
  ]
  for (const clientToken of bad) {
    const refusal = await authenticate({ lookup, clock, admits }, clientToken).catch(
      (error) => error,
    )
    const { code, reason, message, cause } = refusal
    t.strictSame(
      { code, reason, message, cause },
      {
        code: 'unauthenticated',
        reason: 'unauthenticated',
        message: 'request was not authenticated',
        cause: undefined,
      },
    )
  }
})

t.test('ten thousand mistyped tokens cost no lookup', async (t) => {
  const { lookup, clock, watched } = await openLookup(await openAuthDatabase(t))
  for (let i = 0; i < 10_000; i += 1) {
    const token = generateToken()
    const place = 4 + (i % 50)
    const mistyped =
      token.slice(0, place) + (token[place] === 'x' ? 'y' : 'x') + token.slice(place + 1)
    await authenticate({ lookup, clock, admits }, mistyped).catch(() => {})
  }
  t.equal(watched.count, 0)
})

t.test('a database that is away says nothing about the credential', async (t) => {
  const { clock } = await clockAt(0)
  const db = openDatabase('postgres://svc@127.0.0.1:1/svc', {
    name: 'nowhere',
    maxConnections: 1,
    log: silent,
  })
  t.teardown(() => db.close())
  const lookup = new TokenLookup({
    db,
    clock,
    shared: noTokenCache,
    key: Buffer.alloc(32),
    revocations: new RecentRevocations(),
    isFollowing: () => true,
    log: silent,
  })
  await t.rejects(authenticate({ lookup, clock, admits }, generateToken()), { code: 'unavailable' })
})

t.test('a token is refused while the settings do not admit its holder', async (t) => {
  const db = await openAuthDatabase(t)
  const { clock } = await clockAt(Date.now())
  const { lookup } = await openLookup(db, { clock })
  const { clientToken } = await makeToken(db)
  const refused = { code: 'unauthenticated', message: 'request was not authenticated' }
  await t.rejects(authenticate({ lookup, clock, admits: () => false }, clientToken), refused)
  t.match(await authenticate({ lookup, clock, admits }, clientToken), { namespaceKey: '' })
})
