import { setTimeout as sleep } from 'node:timers/promises'
import { openDatabase } from '@svc/database'
import type { TestDatabase } from '@svc/database/testing'
import { waitFor } from '@svc/runtime/testing'
import type { Redis } from 'ioredis'
import t, { type Test } from 'tap'
import {
  deletion,
  testEvents as events,
  isAccepted,
  openAuthDatabase,
  settingsFor,
  silent,
} from '../../auth.test.support.ts'
import { bootstrap } from '../../methods/token/bootstrap.ts'
import { openRedis, randomPrefix, sharedRedisUrl, startOwnRedis } from '../../redis.test.support.ts'
import { startCredentials } from '../credentials.ts'
import { hashToken } from '../records/token.ts'
import { deleteToken } from '../revocations/revoked-tokens.store.ts'
import { makeToken } from './lookup.test.support.ts'

/** Bound B2: a revocation is received within this time, whichever way it comes. */
const boundMs = 2000

type Env = Record<string, string>

const withRedis = (prefix: string, url = sharedRedisUrl()): Env => ({
  SVC_CACHE_REDIS_URL: url,
  SVC_CACHE_REDIS_PREFIX: prefix,
})

/** What one process of the service knows of tokens. */
async function openReplica(t: Test, { url }: TestDatabase, env: Env = {}) {
  const options = { name: 'replica', log: silent, acquireTimeoutMs: 5000 }
  const db = openDatabase(url, { ...options, maxConnections: 10 })
  const background = openDatabase(url, { ...options, maxConnections: 4 })
  const settings = settingsFor(url, env)
  const resources = { settings, db, background, log: silent }
  const credentials = await startCredentials(resources, new Map())
  t.teardown(async () => {
    await credentials.close()
    await Promise.all([db.close(), background.close()])
  })
  return {
    remove: (id: string) => credentials.revoke((tx) => deleteToken(tx, id), deletion),
    accepts: (clientToken: string) => isAccepted(credentials.authenticate(clientToken)),
  }
}

type Replica = Awaited<ReturnType<typeof openReplica>>

/** How long after `since` a token was last accepted, in milliseconds. */
async function acceptedForMs({ accepts }: Replica, clientToken: string, since: number) {
  let lastMs = 0
  while (performance.now() - since < boundMs + 500) {
    const askedAt = performance.now()
    if (await accepts(clientToken)) lastMs = askedAt - since
    await sleep(Math.random() * 40)
  }
  return lastMs
}

/** What a replica leaves of a token in Redis, under `key`. */
async function whenShared({ accepts }: Replica, clientToken: string, redis: Redis, key: string) {
  const deadline = performance.now() + 30_000
  while (performance.now() < deadline) {
    if (!(await accepts(clientToken))) throw new Error('the token is not accepted')
    await sleep(100)
    // On a busy machine the cache may take too long, and is left alone until the next lookup.
    const entry = await redis.get(key)
    if (entry !== null) return entry
  }
  throw new Error('nothing is in Redis after 30 s')
}

/**
 * Deletes a token through one process while both look it up, so that lookups and the revocation
 * overtake each other in every way.
 */
async function race(db: TestDatabase, here: Replica, there: Replica) {
  const { clientToken, id } = await makeToken(db)
  const asking: Promise<boolean>[] = []
  if (Math.random() < 0.5) asking.push(here.accepts(clientToken), there.accepts(clientToken))
  await sleep(Math.random() * 5)
  const removing = here.remove(id)
  asking.push(here.accepts(clientToken), there.accepts(clientToken))
  await removing
  const since = performance.now()
  const [lateHere, lateThere] = await Promise.all([
    acceptedForMs(here, clientToken, since),
    acceptedForMs(there, clientToken, since),
  ])
  await Promise.all(asking)
  return { lateHere, lateThere }
}

for (const [name, env] of Object.entries({ without: {}, with: withRedis(randomPrefix()) })) {
  t.test(`fifty races of lookups with a deletion, ${name} Redis`, async (t) => {
    const db = await openAuthDatabase(t)
    const [here, there] = [await openReplica(t, db, env), await openReplica(t, db, env)]
    const races = Array.from({ length: 50 }, () => race(db, here, there))
    for (const { lateHere, lateThere } of await Promise.all(races)) {
      t.equal(lateHere, 0, 'where it was deleted it is refused from then on')
      t.ok(lateThere <= boundMs, `elsewhere after ${lateThere} ms`)
    }
  })
}

t.test('a deletion that never reaches Redis', async (t) => {
  const db = await openAuthDatabase(t)
  const own = await startOwnRedis(t)
  const env = withRedis('svc', own.url)
  const [here, there] = [await openReplica(t, db, env), await openReplica(t, db, env)]
  const { clientToken, id } = await makeToken(db)
  while (!(await here.accepts(clientToken)) || !(await there.accepts(clientToken)));
  const direct = await openRedis(t, own.url)
  const left = await whenShared(here, clientToken, direct, `svc:tok2:${hashToken(clientToken)}`)
  own.signal('SIGSTOP')
  await here.remove(id)
  const since = performance.now()
  t.notOk(await here.accepts(clientToken))
  t.ok((await acceptedForMs(there, clientToken, since)) <= boundMs)
  own.signal('SIGCONT')

  await t.test('is not undone by what is left there', async (t) => {
    const later = await openReplica(t, db, env)
    await sleep(1200)
    await direct.flushall()
    await direct.set(`svc:tok2:${hashToken(clientToken)}`, left)
    for (const replica of [here, there, later]) t.notOk(await replica.accepts(clientToken))
  })
})

t.test('what other writers put into Redis is not accepted', async (t) => {
  const db = await openAuthDatabase(t)
  const redis = await openRedis(t)
  const prefix = randomPrefix()
  const replica = await openReplica(t, db, withRedis(prefix))
  const entryOf = (clientToken: string) => `${prefix}:tok2:${hashToken(clientToken)}`
  const good = await makeToken(db)
  const { clientToken } = good
  const entry = await whenShared(replica, clientToken, redis, entryOf(clientToken))
  t.match(entry, good.id)

  await t.test('an entry of one token is no good for another', async (t) => {
    for (let i = 0; i < 100; i += 1) {
      const other = await makeToken(db)
      await db.query('DELETE FROM auth.authentications WHERE id = $1', [other.id])
      const forged = i % 2 === 0 ? entry : entry.replace(good.id, other.id)
      await redis.set(entryOf(other.clientToken), forged)
      t.notOk(await replica.accepts(other.clientToken))
    }
  })

  await t.test('an entry that is put back does not revive a deleted token', async (t) => {
    await replica.remove(good.id)
    await redis.set(entryOf(clientToken), entry)
    await redis.del(`${prefix}:rev1:${hashToken(clientToken)}`)
    const later = await openReplica(t, db, withRedis(prefix))
    for (const one of [replica, later]) t.notOk(await one.accepts(clientToken))
  })

  await t.test('garbage and wrong types do not get in the way of good tokens', async (t) => {
    const tokens = await Promise.all(Array.from({ length: 30 }, () => makeToken(db)))
    for (const [i, { clientToken }] of tokens.entries()) {
      if (i % 3 === 0) await redis.set(entryOf(clientToken), 'garbage')
      if (i % 3 === 1) await redis.lpush(entryOf(clientToken), 'a', 'list')
      if (i % 3 === 2) await redis.hset(`${prefix}:rev1:${hashToken(clientToken)}`, 'a', 'hash')
    }
    for (const { clientToken } of tokens) t.ok(await replica.accepts(clientToken))
  })
})

t.test('a chosen token that was tried before is accepted as soon as it exists', async (t) => {
  const db = await openAuthDatabase(t)
  const replica = await openReplica(t, db)
  const token = 'Qz83hfKw02-Lm4_xv97TbaP0'
  t.notOk(await replica.accepts(token))
  const env = { SVC_AUTHENTICATION_METHODS_TOKEN_BOOTSTRAP_TOKEN: token }
  const { methods } = settingsFor(db.url, env).authentication
  await bootstrap(db, methods.token.bootstrap, { log: silent, events })
  const since = performance.now()
  while (!(await replica.accepts(token))) await sleep(5)
  const tookMs = performance.now() - since
  t.ok(tookMs < boundMs, `${tookMs} ms, and not the 5 s for which it is taken for unknown`)
})

t.test('a chosen token that is made anew after its expiry is accepted soon', async (t) => {
  const db = await openAuthDatabase(t)
  const prefix = randomPrefix()
  const redis = await openRedis(t)
  const replica = await openReplica(t, db, withRedis(prefix))
  const token = 'Qz83hfKw02-Lm4_xv97TbaP0'
  const start = async (lifetime: string) => {
    const variable = 'SVC_AUTHENTICATION_METHODS_TOKEN_BOOTSTRAP'
    const env = {
      [`${variable}_TOKEN`]: token,
      [`${variable}_EXPIRATION`]: lifetime,
      [`${variable}_FORCE`]: 'true',
    }
    const { methods } = settingsFor(db.url, env).authentication
    await bootstrap(db, methods.token.bootstrap, { log: silent, events })
  }
  await start('24h')
  await db.query('UPDATE auth.authentications SET expires_at = now()')
  const key = `${prefix}:tok2:${hashToken(token)}`
  await waitFor(async () => !(await replica.accepts(token)) && (await redis.get(key)) !== null)
  await start('48h')
  const since = performance.now()
  await waitFor(() => replica.accepts(token))
  const tookMs = performance.now() - since
  t.ok(tookMs < boundMs, `${tookMs} ms, and not the 30 s for which Redis has the expired one`)
  const later = await openReplica(t, db, withRedis(prefix))
  t.ok(await later.accepts(token), 'also where it was never looked up')
})
