import { setTimeout as sleep } from 'node:timers/promises'
import { waitFor } from '@svc/runtime/testing'
import t, { type Test } from 'tap'
import { openLog, silent } from '../../auth.test.support.ts'
import {
  openRedis,
  randomPrefix,
  sharedRedisUrl,
  startMovingAddress,
  startOwnRedis,
} from '../../redis.test.support.ts'
import { generateToken, hashToken } from '../records/token.ts'
import type { TokenCache } from './redis-cache.ts'
import { openRedisCache } from './redis-cache.ts'

const hash = () => hashToken(generateToken())

interface Received {
  readonly revoked: string[]
  gaps: number
}

/** @param commandTimeoutMs ample where what is tested is not the time: the machine may be busy */
async function openCache(
  t: Test,
  url: string,
  prefix: string,
  { log = silent, commandTimeoutMs = 5000 } = {},
) {
  const received: Received = { revoked: [], gaps: 0 }
  const listener = {
    onRevoked: (tokenHash: string) => void received.revoked.push(tokenHash),
    onGap: () => {
      received.gaps += 1
    },
  }
  const cache = openRedisCache({ url, prefix, log, listener, commandTimeoutMs })
  t.teardown(() => cache.close())
  await waitFor(() => received.gaps > 0)
  return { cache, received }
}

async function works(cache: TokenCache): Promise<boolean> {
  const tokenHash = hash()
  await cache.put(tokenHash, 'here')
  return (await cache.get(tokenHash)) === 'here'
}

t.test('a Redis in good health', async (t) => {
  const redis = await openRedis(t)
  const prefix = randomPrefix()
  const { cache, received } = await openCache(t, sharedRedisUrl(), prefix)
  const other = await openCache(t, sharedRedisUrl(), prefix)

  await t.test('keeps entries for half a minute, for all processes', async (t) => {
    const tokenHash = hash()
    t.equal(await cache.get(tokenHash), undefined)
    await cache.put(tokenHash, 'entry')
    t.equal(await other.cache.get(tokenHash), 'entry')
    const ttl = await redis.pttl(`${prefix}:tok2:${tokenHash}`)
    t.ok(ttl > 29_000 && ttl <= 30_000, String(ttl))
  })

  await t.test('drops what is revoked, keeps it out, and notifies every process', async (t) => {
    const tokenHash = hash()
    await cache.put(tokenHash, 'entry')
    await cache.revoke([tokenHash])
    t.equal(await cache.get(tokenHash), undefined)
    await other.cache.put(tokenHash, 'entry that was read before')
    t.equal(await cache.get(tokenHash), undefined)
    const ttl = await redis.ttl(`${prefix}:rev1:${tokenHash}`)
    t.ok(ttl > 100 && ttl <= 120, String(ttl))
    const all = [received, other.received]
    await waitFor(() => all.every(({ revoked }) => revoked.includes(tokenHash)))
  })

  await t.test('lets one process of all claim a name, and forgets it in time', async (t) => {
    const name = hash()
    const all = [cache, other.cache, cache, other.cache]
    const answers = await Promise.all(all.map((one) => one.claim(name, 500)))
    t.strictSame(answers.toSorted(), [false, false, false, true])
    t.ok(await other.cache.claim(hash(), 500))
    await waitFor(() => cache.claim(name, 500))
  })

  await t.test('lets each process claim a name again that was released', async (t) => {
    const name = hash()
    t.ok(await cache.claim(name, 60_000))
    await cache.release(hash())
    t.notOk(await other.cache.claim(name, 60_000))
    await cache.release(name)
    t.ok(await other.cache.claim(name, 60_000))
    t.notOk(await cache.claim(name, 60_000))
  })

  await t.test('extends a claim, and one that has lapsed', async (t) => {
    const name = hash()
    t.ok(await cache.claim(name, 60_000))
    for (let i = 0; i < 2; i += 1) {
      await cache.extend(name, 120_000)
      t.ok((await redis.pttl(`${prefix}:once1:${name}`)) > 60_000)
      t.notOk(await other.cache.claim(name, 60_000))
      await redis.del(`${prefix}:once1:${name}`)
    }
  })

  await t.test('leaves those with another prefix alone', async (t) => {
    const { cache: prefixed, received } = await openCache(t, sharedRedisUrl(), `${prefix}:tok1`)
    const tokenHash = hash()
    await cache.put(tokenHash, 'entry')
    t.equal(await prefixed.get(tokenHash), undefined)
    await cache.revoke([tokenHash])
    await prefixed.put(tokenHash, 'its own')
    t.equal(await prefixed.get(tokenHash), 'its own')
    t.strictSame(received.revoked, [])
  })

  await t.test('may hold values of any type under our names', async (t) => {
    for (let i = 0; i < 20; i += 1) {
      const tokenHash = hash()
      await redis.rpush(`${prefix}:tok2:${tokenHash}`, 'a list')
      t.equal(await cache.get(tokenHash), undefined)
      await cache.put(tokenHash, 'entry')
      t.equal(await cache.get(tokenHash), 'entry')
      await redis.del(`${prefix}:tok2:${tokenHash}`)
      await redis.hset(`${prefix}:rev1:${tokenHash}`, 'a', 'hash')
      await cache.put(tokenHash, 'entry')
      t.equal(await cache.get(tokenHash), undefined, 'whatever it is, it is a tombstone')
      await cache.revoke([tokenHash])
      t.equal(await redis.get(`${prefix}:rev1:${tokenHash}`), '1')
    }
    t.ok(await works(cache))
  })

  await t.test('a subscription that breaks is made anew, and says so', async (t) => {
    const own = await startOwnRedis(t)
    const { cache, received } = await openCache(t, own.url, prefix)
    const direct = await openRedis(t, own.url)
    await direct.call('CLIENT', 'KILL', 'TYPE', 'pubsub')
    await waitFor(() => received.gaps === 2)
    const tokenHash = hash()
    await cache.revoke([tokenHash])
    await waitFor(() => received.revoked.includes(tokenHash))
  })
})

t.test('a Redis that is killed fails nothing, and is used again when it is back', async (t) => {
  const own = await startOwnRedis(t)
  const { log, lines } = openLog()
  const { cache, received } = await openCache(t, own.url, 'svc', { log, commandTimeoutMs: 50 })
  await waitFor(() => works(cache))
  // On a busy machine the first commands may take too long, which is logged too.
  const logged = lines.length
  await own.kill()
  const startedAt = performance.now()
  for (let i = 0; i < 500; i += 1) {
    t.equal(await cache.get(hash()), undefined)
    await cache.put(hash(), 'entry')
    await cache.revoke([hash(), hash()])
  }
  const tookMs = performance.now() - startedAt
  t.ok(tookMs < 10_000, `2,000 commands took ${tookMs} ms`)
  await own.start()
  await waitFor(() => works(cache))
  await waitFor(() => received.gaps === 2)
  t.strictSame(
    lines.slice(logged).map(({ msg }) => msg),
    ['Redis does not answer: looking tokens up in the database', 'Redis answers again'],
  )
})

t.test('a Redis that hangs costs 50 ms a few times, then nothing', async (t) => {
  const own = await startOwnRedis(t)
  const { cache } = await openCache(t, own.url, 'svc', { commandTimeoutMs: 50 })
  const hashes = Array.from({ length: 1000 }, hash)
  await Promise.all(hashes.map((tokenHash) => cache.put(tokenHash, tokenHash)))
  own.signal('SIGSTOP')
  const times: number[] = []
  for (const tokenHash of hashes.slice(0, 30)) {
    const startedAt = performance.now()
    t.equal(await cache.get(tokenHash), undefined)
    times.push(performance.now() - startedAt)
  }
  // In the middle, for a busy machine may take its time over any one of them.
  const usual = (some: number[]) => some.toSorted((a, b) => a - b)[some.length >> 1] ?? 0
  t.ok(usual(times.slice(0, 5)) < 100, times.slice(0, 5).join(' '))
  t.ok(usual(times.slice(6)) < 5, times.slice(6).join(' '))
  t.equal(await cache.release(hash()), undefined)
  await sleep(500)
  own.signal('SIGCONT')
  await waitFor(() => works(cache))
  const answers = await Promise.all(
    Array.from({ length: 10 }, () => Promise.all(hashes.map((one) => cache.get(one)))),
  )
  const wrong = answers.flatMap((round) =>
    round.filter((answer, i) => answer !== undefined && answer !== hashes[i]),
  )
  t.strictSame(wrong, [], 'no answer came to the wrong question')
})

t.test('a Redis that refuses to write or is emptied fails nothing', async (t) => {
  const own = await startOwnRedis(t)
  const { cache } = await openCache(t, own.url, 'svc')
  const direct = await openRedis(t, own.url)

  await direct.config('SET', 'maxmemory', '1')
  await cache.put(hash(), 'entry')
  await cache.revoke([hash()])
  t.equal(await cache.get(hash()), undefined)
  await direct.config('SET', 'maxmemory', '0')
  await waitFor(() => works(cache))

  await direct.replicaof('127.0.0.1', '1')
  for (let i = 0; i < 50; i += 1) {
    await cache.put(hash(), 'entry')
    await cache.revoke([hash()])
    t.equal(await cache.get(hash()), undefined)
  }
  await direct.replicaof('NO', 'ONE')
  await waitFor(() => works(cache))

  const tokenHash = hash()
  await cache.put(tokenHash, 'entry')
  await direct.flushall()
  t.equal(await cache.get(tokenHash), undefined)
})

t.test('a replica that is promoted behind the same address is used', async (t) => {
  const [primary, replica] = [await startOwnRedis(t), await startOwnRedis(t)]
  const address = await startMovingAddress(t, primary.port)
  const { cache, received } = await openCache(t, address.url, 'svc')
  await waitFor(() => works(cache))
  const [old, promoted] = [await openRedis(t, primary.url), await openRedis(t, replica.url)]
  old.on('error', () => {})
  await promoted.replicaof('127.0.0.1', primary.port)
  await waitFor(async () => (await promoted.info('replication')).includes('link_status:up'))
  t.ok((await promoted.dbsize()) > 0, 'it has the entries')

  await t.test('while the old one is its replica, and keeps its connections', async (t) => {
    await promoted.replicaof('NO', 'ONE')
    await old.replicaof('127.0.0.1', replica.port)
    address.moveTo(replica.port)
    await promoted.flushall()
    await waitFor(async () => (await works(cache)) && (await promoted.dbsize()) > 0)
    t.equal(received.gaps, 1, 'its subscription is kept')
    const tokenHash = hash()
    await cache.revoke([tokenHash])
    await waitFor(() => received.revoked.includes(tokenHash))
  })

  await t.test('and when the old one is gone', async (t) => {
    await primary.kill()
    await waitFor(() => received.gaps === 2)
    t.ok(await works(cache))
    const tokenHash = hash()
    await cache.revoke([tokenHash])
    await waitFor(() => received.revoked.includes(tokenHash))
  })
})

t.test('an unavailable Redis delays no request', async (t) => {
  const own = await startOwnRedis(t)
  await own.kill()
  const listener = { onRevoked: () => {}, onGap: () => {} }
  const cache = openRedisCache({ url: own.url, prefix: 'svc', log: silent, listener })
  t.teardown(() => cache.close())
  t.equal(await cache.get(hash()), undefined)
  t.equal(await cache.release(hash()), undefined)
  await own.start()
  await waitFor(() => works(cache))
})
