import { once } from 'node:events'
import { connect, createServer, type Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { createLogger } from '@svc/runtime'
import { waitFor } from '@svc/runtime/testing'
import t, { type Test } from 'tap'
import type { DatabaseOptions } from './connection-pool.ts'
import { type Database, openDatabase, type Queryable } from './database.ts'
import { checkSessions } from './sessions.ts'
import { createTestDatabase } from './testing.ts'

const log = createLogger({ level: 'silent', encoding: 'json' }, 'test')
const unavailable = { name: 'AppError', code: 'unavailable' }

/** A pool to suffer, and another one through which to make it. */
async function openBoth(t: Test, options: Partial<DatabaseOptions> = {}) {
  const admin = await createTestDatabase(t)
  return { admin, pool: openPool(t, admin.url, options) }
}

/** Patient, where it does not matter how long a busy machine takes to connect. */
function openPool(t: Test, url: string, options: Partial<DatabaseOptions> = {}) {
  const usual = { name: 'test', maxConnections: 2, log, acquireTimeoutMs: 5000 }
  const pool = openDatabase(url, { ...usual, ...options })
  t.teardown(() => pool.close())
  return pool
}

/** As long as a request waits. */
const acquireTimeoutMs = 500

async function backendOf(db: Queryable): Promise<number> {
  const [row] = await db.query<{ pid: number }>('SELECT pg_backend_pid() AS pid')
  if (row === undefined) throw new Error('no row')
  return row.pid
}

/** @returns how the work failed, and after how many milliseconds */
async function failureOf(work: Promise<unknown>) {
  const startedAt = performance.now()
  const error = await work.then(
    () => 'it succeeded',
    (error: unknown) => error,
  )
  return { error, afterMs: performance.now() - startedAt }
}

t.test('a pool connects ahead of requests, again when the connection is lost', async (t) => {
  const { admin } = await openBoth(t, { name: 'eager' })
  const sql = `SELECT pid FROM pg_stat_activity WHERE application_name = 'eager' AND pid <> $1`
  let pids: { pid: number }[] = []
  const connected = async (except = 0) => {
    await waitFor(async () => {
      pids = await admin.query<{ pid: number }>(sql, [except])
      return pids.length > 0
    })
    return pids.map(({ pid }) => pid)
  }
  const [first] = await connected()
  await admin.query('SELECT pg_terminate_backend($1, 5000)', [first])
  t.equal((await connected(first)).length, 1)
})

t.test('a killed backend', async (t) => {
  const { admin, pool } = await openBoth(t)
  const kill = (pid: number) => admin.query('SELECT pg_terminate_backend($1, 5000)', [pid])

  await t.test('is replaced when it was idle', async (t) => {
    const pid = await backendOf(pool)
    await kill(pid)
    t.not(await backendOf(pool), pid)
  })

  await t.test('makes its statement unavailable, and only that', async (t) => {
    const pid = await backendOf(pool)
    const [{ error }] = await Promise.all([
      failureOf(pool.query('SELECT pg_sleep(1.9)')),
      sleep(100).then(() => kill(pid)),
    ])
    t.match(error, unavailable)
    t.not(await backendOf(pool), pid)
  })

  await t.test('rolls its transaction back', async (t) => {
    await admin.query('CREATE TABLE notes (text text)')
    const work = pool.transaction(async (tx) => {
      await tx.query(`INSERT INTO notes VALUES ('lost')`)
      await kill(await backendOf(tx))
      await tx.query(`INSERT INTO notes VALUES ('too late')`)
    })
    await t.rejects(work, unavailable)
    t.strictSame(await pool.query('SELECT * FROM notes'), [])
  })
})

t.test('a slow statement', async (t) => {
  const { admin, pool } = await openBoth(t)

  await t.test('is cancelled after two seconds; its connection is not', async (t) => {
    const tryOnce = async () => {
      const pid = await backendOf(pool)
      const failure = await failureOf(pool.query('SELECT pg_sleep(10)'))
      return { ...failure, isKept: (await backendOf(pool)) === pid }
    }
    let tried = await tryOnce()
    // The client gives up half a second later, and after a pause of the machine it may be first.
    for (let tries = 1; !tried.isKept && tries < 3; tries += 1) tried = await tryOnce()
    const { error, afterMs, isKept } = tried
    t.match(error, {
      ...unavailable,
      message: /^the database took too long: /,
      cause: { code: '57014' },
    })
    t.ok(afterMs > 1900 && afterMs < 5000, `after ${afterMs} ms`)
    t.ok(isKept)
  })

  await t.test('waits a second for a lock', async (t) => {
    await admin.query('CREATE TABLE locked (n int)')
    await admin.transaction(async (tx) => {
      await tx.query('LOCK TABLE locked')
      const { error, afterMs } = await failureOf(pool.query('SELECT * FROM locked'))
      t.match(error, { ...unavailable, cause: { code: '55P03' } })
      t.ok(afterMs > 900 && afterMs < 5000, `after ${afterMs} ms`)
    })
  })
})

t.test('a server that hangs', async (t) => {
  const { pool } = await openBoth(t, { maxConnections: 1 })
  const pid = await backendOf(pool)
  process.kill(pid, 'SIGSTOP')
  t.teardown(() => process.kill(pid, 'SIGCONT'))

  const { error, afterMs } = await failureOf(pool.query('SELECT 1'))
  t.match(error, unavailable)
  t.ok(afterMs < 5000, `gives up after ${afterMs} ms`)
  t.not(await backendOf(pool), pid, 'and does not use that connection again')
})

t.test('a server that vanishes costs one timeout, not one for each idle connection', async (t) => {
  const admin = await createTestDatabase(t)
  const { hostname, port } = new URL(admin.url)
  let hasVanished = false
  const way = await relay(t, (client) => {
    const isOld = !hasVanished
    const server = connect(Number(port), hostname).on('error', () => {})
    const pass = (from: Socket, to: Socket) =>
      from.on('data', (bytes) => (isOld && hasVanished) || to.write(bytes))
    pass(client, server)
    pass(server, client)
    client.on('close', () => server.destroy())
  })
  const url = Object.assign(new URL(admin.url), { port: way }).href
  const pool = openPool(t, url, { maxConnections: 4 })
  await Promise.all(Array.from({ length: 4 }, () => pool.query('SELECT pg_sleep(0.3)')))

  hasVanished = true
  const { error, afterMs } = await failureOf(pool.query('SELECT 1'))
  t.match(error, unavailable)
  t.ok(afterMs < 5000, `gives up after ${afterMs} ms`)
  t.strictSame(await pool.query('SELECT 1 AS one'), [{ one: 1 }])
})

t.test('closing does not wait for a server that hangs', async (t) => {
  const { pool } = await openBoth(t)
  const pid = await backendOf(pool)
  process.kill(pid, 'SIGSTOP')
  t.teardown(() => process.kill(pid, 'SIGCONT'))

  const startedAt = performance.now()
  await Promise.all([pool.close(), pool.close()])
  t.ok(performance.now() - startedAt < 5000)
  await t.rejects(pool.query('SELECT 1'), unavailable)
})

/** Keeps a connection until it is released, within the five seconds that a transaction may idle. */
function occupy(pool: Database) {
  const { promise, resolve: release } = Promise.withResolvers<void>()
  const busy = pool.transaction(() => promise)
  return { busy, release }
}

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

/** @returns a port behind which a server receives everything after a delay */
async function relaySlowly(t: Test, { hostname, port }: URL, delayMs: number): Promise<string> {
  return relay(t, (client) => {
    const server = connect(Number(port), hostname).on('error', () => {})
    server.pipe(client)
    setTimeout(() => client.pipe(server), delayMs)
  })
}

/** @returns a port of which the first connection reaches the server, and the others get no answer */
async function relayFirst(t: Test, { hostname, port }: URL): Promise<string> {
  let count = 0
  return relay(t, (client) => {
    count += 1
    if (count > 1) return
    const server = connect(Number(port), hostname).on('error', () => {})
    client.pipe(server).pipe(client)
  })
}

async function relay(t: Test, begin: (client: Socket) => void): Promise<string> {
  const server = createServer((client) => {
    client.on('error', () => {})
    begin(client)
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.teardown(() => server.close())
  const address = server.address()
  return typeof address === 'object' ? String(address?.port) : ''
}

t.test('a server that is unavailable', async (t) => {
  const { admin } = await openBoth(t)
  const urlWith = (change: Partial<URL>) => Object.assign(new URL(admin.url), change).href

  await t.test('makes statements unavailable at once', async (t) => {
    const { error, afterMs } = await failureOf(
      openPool(t, urlWith({ port: '1' })).query('SELECT 1'),
    )
    t.match(error, { ...unavailable, message: 'the database is not available' })
    t.ok(afterMs < 3000, `after ${afterMs} ms`)
  })

  await t.test('or after half a second, when it accepts and does not answer', async (t) => {
    const port = await relay(t, () => {})
    const { error, afterMs } = await failureOf(
      openPool(t, urlWith({ port }), { acquireTimeoutMs }).query('SELECT 1'),
    )
    t.match(error, unavailable)
    t.ok(afterMs < 2000, `after ${afterMs} ms`)
  })

  await t.test('is not needed when another caller gives a connection back', async (t) => {
    const port = await relayFirst(t, new URL(admin.url))
    const pool = openPool(t, urlWith({ port }), { acquireTimeoutMs })
    const pid = await backendOf(pool)
    const { busy, release } = occupy(pool)
    const waiting = backendOf(pool)
    await sleep(20)
    release()
    await busy
    const startedAt = performance.now()
    t.equal(await waiting, pid)
    t.ok(performance.now() - startedAt < acquireTimeoutMs / 2, 'without waiting for the new one')
  })

  await t.test('is reached in the end, although no request waits that long', async (t) => {
    const port = await relaySlowly(t, new URL(admin.url), 2 * acquireTimeoutMs)
    const pool = openPool(t, urlWith({ port }), { acquireTimeoutMs })
    const { error } = await failureOf(pool.query('SELECT 1'))
    t.match(error, unavailable)
    await sleep(2 * acquireTimeoutMs)
    t.strictSame(await pool.query('SELECT 1 AS one'), [{ one: 1 }])
  })

  await t.test('as is one that refuses the connection, without the reason', async (t) => {
    const pool = openPool(t, urlWith({ pathname: '/elsewhere' }))
    const { error } = await failureOf(pool.query('SELECT 1'))
    t.match(error, { ...unavailable, message: 'the database is not available' })
  })
})

t.test('the checks of a start do not wait for a server that does not answer', async (t) => {
  const { admin } = await openBoth(t)
  const { hostname, port } = new URL(admin.url)
  const silent = await relay(t, (client) => {
    const server = connect(Number(port), hostname).on('error', () => {})
    server.pipe(client)
    // Statements do not reach the server.
    client.on('data', (bytes) => bytes[0] === 'Q'.charCodeAt(0) || server.write(bytes))
    client.on('close', () => server.destroy())
  })
  const url = Object.assign(new URL(admin.url), { port: silent }).href
  const { error, afterMs } = await failureOf(checkSessions(url, { log, timeoutMs: 0 }))
  t.match(error, unavailable)
  t.ok(afterMs < 10_000, `after ${afterMs} ms`)
})
