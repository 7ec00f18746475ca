import t from 'tap'
import { deletion, testEvents as events, openAuthDatabase } from '../../auth.test.support.ts'
import { noTokenCache as shared } from '../cache/redis-cache.ts'
import { hashToken, toBytes } from '../records/token.ts'
import { revokeWith } from '../revocations/revoke.ts'
import { deleteToken } from '../revocations/revoked-tokens.store.ts'
import { makeToken, openLookup } from './lookup.test.support.ts'

t.test('a thousand requests for one cold token cost one lookup', async (t) => {
  const db = await openAuthDatabase(t)
  const { lookup, watched } = await openLookup(db)
  const { tokenHash } = await makeToken(db)
  const found = await Promise.all(Array.from({ length: 1000 }, () => lookup.find(tokenHash)))
  t.equal(watched.count, 1)
  t.ok(found.every((one) => one !== 'unknown'))
})

t.test('so do a thousand for one that does not exist', async (t) => {
  const { lookup, watched } = await openLookup(await openAuthDatabase(t))
  const many = () => Promise.all(Array.from({ length: 500 }, () => lookup.find(hashToken('none'))))
  const found = [...(await many()), ...(await many())]
  t.equal(watched.count, 1)
  t.ok(found.every((one) => one === 'unknown'))
})

t.test('what was found is cached for a second', async (t) => {
  const db = await openAuthDatabase(t)
  const { lookup, watched } = await openLookup(db)
  const { tokenHash } = await makeToken(db)
  const startedAt = performance.now()
  while (performance.now() - startedAt < 3000) {
    await lookup.find(tokenHash)
    await new Promise((resolve) => setTimeout(resolve, 5))
  }
  t.ok(watched.count >= 3 && watched.count <= 4, `${watched.count} lookups in 3 s`)
})

t.test('a lookup that began before a revocation', async (t) => {
  const db = await openAuthDatabase(t)
  type Parts = Awaited<ReturnType<typeof openLookup>> & Awaited<ReturnType<typeof makeToken>>

  /** @param end ends the token while a lookup of it holds what it has read */
  async function overtakeBy(end: (parts: Parts) => Promise<unknown>) {
    const { clientToken, tokenHash, id } = await makeToken(db)
    const parts = { ...(await openLookup(db)), clientToken, tokenHash, id }
    const { lookup, watched } = parts
    const { promise: hold, resolve: release } = Promise.withResolvers<void>()
    const { promise: isRead, resolve: onRead } = Promise.withResolvers<void>()
    Object.assign(watched, { hold, onRead })
    const early = lookup.find(tokenHash)
    await isRead
    await end(parts)
    watched.hold = Promise.resolve()
    const late = await lookup.find(tokenHash)
    release()
    return { early: await early, late, later: await lookup.find(tokenHash) }
  }

  const deleteRow = (id: string) => db.query('DELETE FROM auth.authentications WHERE id = $1', [id])
  const ways: Record<string, (parts: Parts) => Promise<unknown>> = {
    'that this process commits': ({ revocations, id }) =>
      revokeWith({ db, shared, revocations, events })((tx) => deleteToken(tx, id), deletion),
    'that it receives through the cache alone': async ({ lookup, tokenHash, id }) => {
      await deleteRow(id)
      lookup.invalidate(tokenHash)
    },
    'that it may have missed': async ({ lookup, id }) => {
      await deleteRow(id)
      lookup.invalidateAll()
    },
  }
  for (const [name, end] of Object.entries(ways)) {
    await t.test(`${name} is not joined by later requests and leaves nothing behind`, async (t) => {
      const { early, late, later } = await overtakeBy(end)
      t.not(early, 'unknown', 'the token was good when this request came')
      t.equal(late, 'unknown')
      t.equal(later, 'unknown')
    })
  }
})

t.test('a token that comes into being is found, however often it was tried before', async (t) => {
  const db = await openAuthDatabase(t)
  const { lookup } = await openLookup(db)
  const { tokenHash, id } = await makeToken(db)
  const hidden = Buffer.alloc(32, 7)
  const rename = 'UPDATE auth.authentications SET token_hash = $1 WHERE id = $2'
  await db.query(rename, [hidden, id])
  t.equal(await lookup.find(tokenHash), 'unknown')
  await db.query(rename, [toBytes(tokenHash), id])
  t.equal(await lookup.find(tokenHash), 'unknown', 'this is what has to be forgotten')
  lookup.invalidateMisses()
  t.not(await lookup.find(tokenHash), 'unknown')
})

t.test('a lookup in progress while a token comes into being', async (t) => {
  const db = await openAuthDatabase(t)
  const { tokenHash, id } = await makeToken(db)

  /** @returns what is found by a lookup that holds what it has read meanwhile, and by one that begins after `work` */
  async function findDuring(work: () => Promise<unknown>) {
    const { lookup, watched } = await openLookup(db)
    const { promise: hold, resolve: release } = Promise.withResolvers<void>()
    const { promise: isRead, resolve: onRead } = Promise.withResolvers<void>()
    Object.assign(watched, { hold, onRead })
    const early = lookup.find(tokenHash)
    await isRead
    await work()
    lookup.invalidateMisses()
    const late = lookup.find(tokenHash)
    watched.hold = Promise.resolve()
    release()
    const found = [await early, await late, await lookup.find(tokenHash)]
    return { isFound: found.map((one) => one !== 'unknown'), count: watched.count }
  }

  await t.test('is joined and cached when it has found its own', async (t) => {
    const { isFound, count } = await findDuring(async () => {})
    t.strictSame(isFound, [true, true, true])
    t.equal(count, 1)
  })

  await t.test('is repeated when it has found none', async (t) => {
    const rename = 'UPDATE auth.authentications SET token_hash = $1 WHERE id = $2'
    await db.query(rename, [toBytes(hashToken('hidden')), id])
    const { isFound, count } = await findDuring(() => db.query(rename, [toBytes(tokenHash), id]))
    t.strictSame(isFound, [false, true, true])
    t.equal(count, 2)
  })
})

t.test('without the revocation feed, the database is asked each time', async (t) => {
  const db = await openAuthDatabase(t)
  const { lookup, watched, following } = await openLookup(db)
  const { tokenHash, id } = await makeToken(db)
  await lookup.find(tokenHash)
  following.isOn = false
  await db.query('DELETE FROM auth.authentications WHERE id = $1', [id])
  t.equal(await lookup.find(tokenHash), 'unknown')
  t.equal(watched.count, 2)
})
