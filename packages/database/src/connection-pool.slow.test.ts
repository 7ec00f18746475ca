import { rmSync } from 'node:fs'
import { connect } from 'node:net'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { waitFor } from '@svc/runtime/testing'
import t from 'tap'
import type { Queryable } from './database.ts'
import {
  acquireTimeoutMs,
  backendOf,
  failureOf,
  occupy,
  openBoth,
  openPool,
  relay,
  relayFirst,
  unavailable,
} from './outage.test.support.ts'
import { createTestDatabase } from './testing.ts'

t.test('a pool that has just been opened, with many callers', async (t) => {
  const { admin } = await openBoth(t)

  await t.test('makes two connections at once', async (t) => {
    let count = 0
    const port = await relay(t, () => {
      count += 1
    })
    const url = Object.assign(new URL(admin.url), { port }).href
    const pool = openPool(t, url, { maxConnections: 10, acquireTimeoutMs })
    const queries = Array.from({ length: 50 }, () => pool.query('SELECT 1'))
    await Promise.allSettled(queries)
    t.equal(count, 2)
  })

  await t.test('also when there are idle ones', async (t) => {
    let count = 0
    const { hostname, port } = new URL(admin.url)
    const near = await relay(t, (client) => {
      count += 1
      // The others get no answer.
      if (count > 2) return
      const server = connect(Number(port), hostname).on('error', () => {})
      client.pipe(server).pipe(client)
    })
    const pool = openPool(t, Object.assign(new URL(admin.url), { port: near }).href, {
      maxConnections: 10,
    })
    await Promise.all([1, 2].map(() => pool.query('SELECT pg_sleep(0.1)')))
    t.equal(count, 2)
    const queries = Array.from({ length: 50 }, () => pool.query('SELECT 1'))
    t.equal((await Promise.all(queries)).length, 50)
    t.ok(count <= 4, `${count} connections`)
  })

  await t.test('and as many as it may when that is not enough', async (t) => {
    const pool = openPool(t, admin.url, { maxConnections: 5 })
    const queries = Array.from({ length: 5 }, () =>
      pool.query<{ pid: number }>('SELECT pg_backend_pid() AS pid, pg_sleep(1)'),
    )
    const pids = (await Promise.all(queries)).flat().map(({ pid }) => pid)
    t.equal(new Set(pids).size, 5)
  })
})

t.test('a pool with nothing to spare', async (t) => {
  await t.test('lets a request wait half a second', async (t) => {
    const { pool } = await openBoth(t, { maxConnections: 1, acquireTimeoutMs })
    await pool.query('SELECT 1')
    const { busy, release } = occupy(pool)
    const { error, afterMs } = await failureOf(pool.query('SELECT 1'))
    t.match(error, unavailable)
    t.ok(afterMs > 450 && afterMs < 3000, `after ${afterMs} ms`)
    release()
    await busy
  })

  await t.test('serves one after the process has stood still for longer than that', async (t) => {
    const { pool } = await openBoth(t, { maxConnections: 1, acquireTimeoutMs })
    await pool.query('SELECT 1')
    const queries = [pool.query('SELECT pg_sleep(0.1)'), pool.query('SELECT 1')]
    await sleep(20)
    // The event loop looks at its timers next, and at its sockets after that.
    await new Promise((resolve) => setImmediate(resolve))
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 2 * acquireTimeoutMs)
    t.equal((await Promise.all(queries)).length, 2)
  })

  await t.test('lets 200 wait and refuses the next one at once', async (t) => {
    const { pool } = await openBoth(t, { maxConnections: 1 })
    await pool.query('SELECT 1')
    const { busy, release } = occupy(pool)
    await sleep(20)
    const waiting = Array.from({ length: 200 }, () => pool.query('SELECT 1'))
    const { error, afterMs } = await failureOf(pool.query('SELECT 1'))
    t.match(error, { ...unavailable, message: /too many/ })
    t.ok(afterMs < 2500, `after ${afterMs} ms`)
    release()
    await Promise.all([busy, ...waiting])
  })
})

t.test('a pool with a limit of transactions that write', async (t) => {
  const { admin, pool } = await openBoth(t, { maxConnections: 3, acquireTimeoutMs, maxWriting: 2 })
  await admin.query('CREATE TABLE heads AS SELECT 1 AS number')
  const lock = 'UPDATE heads SET number = number + 1'
  const { promise: end, resolve } = Promise.withResolvers<void>()
  const holding = admin.transaction(async (tx) => {
    await tx.query(lock)
    await end
  })
  await waitFor(
    async () =>
      (await admin.query('SELECT FROM pg_locks WHERE mode = $1', ['RowExclusiveLock'])).length > 0,
  )
  const writes = Array.from({ length: 10 }, () => pool.transaction((tx) => tx.query(lock)))
  await sleep(acquireTimeoutMs / 2)

  await t.test('has a connection for other statements, and for those that read', async (t) => {
    t.strictSame(await pool.query('SELECT 1 AS one'), [{ one: 1 }])
    const read = pool.transaction((tx) => tx.query('SELECT 1 AS one'), { readOnly: true })
    t.strictSame(await read, [{ one: 1 }])
  })

  await t.test('commits all of them when they need not wait for long', async (t) => {
    resolve()
    await Promise.all([holding, ...writes])
    t.strictSame(await admin.query('SELECT number FROM heads'), [{ number: 12 }])
  })

  await t.test('refuses them after a second', async (t) => {
    const occupied = [occupy(pool), occupy(pool)]
    const { error, afterMs } = await failureOf(pool.transaction((tx) => tx.query(lock)))
    t.match(error, { ...unavailable, message: /^too many changes wait/ })
    t.ok(afterMs > 950 && afterMs < 3000, `after ${afterMs} ms`)
    for (const { release } of occupied) release()
    await Promise.all(occupied.map(({ busy }) => busy))
  })
})

t.test('a pool with nothing to spare stays with its host', async (t) => {
  const admin = await createTestDatabase(t)
  const { hostname, port } = new URL(admin.url)
  let count = 0
  const other = await relay(t, () => {
    count += 1
  })
  const url = admin.url.replace(`${hostname}:${port}`, `${hostname}:${port},127.0.0.1:${other}`)
  // As long as the driver lets callers wait.
  const pool = openPool(t, url, { maxConnections: 1, acquireTimeoutMs: 1500 })
  const pid = await backendOf(pool)
  const { busy, release } = occupy(pool)
  await t.rejects(pool.query('SELECT 1'), unavailable)
  release()
  await busy
  await admin.query('SELECT pg_terminate_backend($1, 5000)', [pid])
  t.not(await backendOf(pool), pid)
  t.equal(count, 0, 'connections to the other')
})

t.test('connections since a refused write outlive what is left from before', async (t) => {
  const { pool } = await openBoth(t)
  const write = (tx: Queryable) => tx.query('CREATE TABLE refused ()')
  const begun = Promise.withResolvers<void>()
  const renewed = Promise.withResolvers<void>()
  const late = pool.transaction(
    async (tx) => {
      await tx.query('SELECT 1')
      begun.resolve()
      await renewed.promise
      // Longer than the pause after which the pool gives up its connections again.
      await tx.query('SELECT pg_sleep(1.1)')
      await write(tx)
    },
    { readOnly: true },
  )
  await begun.promise
  await t.rejects(pool.transaction(write, { readOnly: true }), { cause: { code: '25006' } })
  const pid = await backendOf(pool)
  renewed.resolve()
  await t.rejects(late, { cause: { code: '25006' } })
  t.equal(await backendOf(pool), pid)
})

t.test(
  'a pool whose new connections come to nothing serves with the one that it has',
  async (t) => {
    const { admin } = await openBoth(t)
    // The driver may then begin one for a caller that it gives up before the connection ends.
    const port = await relayFirst(t, new URL(admin.url), 1000)
    const url = Object.assign(new URL(admin.url), { port }).href
    const pool = openPool(t, url, { maxConnections: 3, acquireTimeoutMs })
    await pool.query('SELECT 1')
    const statements = ['SELECT pg_sleep(1.7)', 'SELECT 1', 'SELECT 1', 'SELECT 1']
    const outcomes = await Promise.allSettled(statements.map((statement) => pool.query(statement)))
    t.strictSame(
      outcomes.map(({ status }) => status),
      ['fulfilled', 'rejected', 'rejected', 'rejected'],
    )
    await sleep(1000)
    t.strictSame(await pool.query('SELECT 1 AS one'), [{ one: 1 }])
  },
)

t.test('a pool whose URL names a file that is gone', async (t) => {
  const { admin } = await openBoth(t)
  const file = join(t.testdir({ 'root.pem': '' }), 'root.pem')
  const url = new URL(admin.url)
  // The file is read in any case.
  url.search = `sslmode=disable&sslrootcert=${file}`
  const pool = openPool(t, url.href, { maxConnections: 10 })
  await Promise.all([1, 2].map(() => pool.query('SELECT pg_sleep(0.1)')))
  rmSync(file)

  await t.test('serves with the connections that it has', async (t) => {
    const queries = Array.from({ length: 50 }, () => pool.query('SELECT 1'))
    t.equal((await Promise.all(queries)).length, 50)
  })

  await t.test('makes statements unavailable without any', async (t) => {
    const { error, afterMs } = await failureOf(openPool(t, url.href).query('SELECT 1'))
    t.match(error, { ...unavailable, cause: { code: 'ENOENT' } })
    t.ok(afterMs < 3000, `after ${afterMs} ms`)
  })
})
