import { connect, type Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { waitFor } from '@svc/runtime/testing'
import t from 'tap'
import { isStatementTimeout } from './errors.ts'
import {
  acquireTimeoutMs,
  backendOf,
  failureOf,
  log,
  occupy,
  openBoth,
  openPool,
  relay,
  relayFirst,
  relaySlowly,
  unavailable,
} from './outage.test.support.ts'
import { checkSessions } from './sessions.ts'
import { createTestDatabase } from './testing.ts'

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
    t.ok(isStatementTimeout(error))
    t.ok(afterMs > 1900 && afterMs < 5000, `after ${afterMs} ms`)
    t.ok(isKept)
  })

  await t.test('waits a second for a lock', async (t) => {
    await admin.query('CREATE TABLE locked (n int)')
    await admin.transaction(async (tx) => {
      await tx.query('LOCK TABLE locked')
      const { error, afterMs } = await failureOf(pool.query('SELECT * FROM locked'))
      t.match(error, { ...unavailable, cause: { code: '55P03' } })
      t.notOk(isStatementTimeout(error))
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
