import { once } from 'node:events'
import { connect, createServer, type Socket } from 'node:net'
import { createLogger } from '@svc/runtime'
import type { Test } from 'tap'
import type { DatabaseOptions } from './connection-pool.ts'
import { type Database, openDatabase, type Queryable } from './database.ts'
import { createTestDatabase } from './testing.ts'

export const log = createLogger({ level: 'silent', encoding: 'json' }, 'test')
export const unavailable = { name: 'AppError', code: 'unavailable' }

/** As long as a request waits. */
export const acquireTimeoutMs = 500

/** A pool to suffer, and another one through which to make it. */
export async function openBoth(t: Test, options: Partial<DatabaseOptions> = {}) {
  const admin = await createTestDatabase(t)
  return { admin, pool: openPool(t, admin.url, options) }
}

/** Patient, where it does not matter how long a busy machine takes to connect. */
export function openPool(t: Test, url: string, options: Partial<DatabaseOptions> = {}) {
  const usual = { name: 'test', maxConnections: 2, log, acquireTimeoutMs: 5000 }
  const pool = openDatabase(url, { ...usual, ...options })
  t.teardown(() => pool.close())
  return pool
}

export async function backendOf(db: Queryable): Promise<number> {
  const [row] = await db.query<{ pid: number }>('SELECT pg_backend_pid() AS pid')
  if (row === undefined) throw new Error('no row')
  return row.pid
}

/** @returns how the work failed, and after how many milliseconds */
export async function failureOf(work: Promise<unknown>) {
  const startedAt = performance.now()
  const error = await work.then(
    () => 'it succeeded',
    (error: unknown) => error,
  )
  return { error, afterMs: performance.now() - startedAt }
}

/** Keeps a connection until it is released, within the five seconds that a transaction may idle. */
export function occupy(pool: Database) {
  const { promise, resolve: release } = Promise.withResolvers<void>()
  const busy = pool.transaction(() => promise)
  return { busy, release }
}

/** @returns a port behind which a server receives everything after a delay */
export async function relaySlowly(
  t: Test,
  { hostname, port }: URL,
  delayMs: number,
): Promise<string> {
  return relay(t, (client) => {
    const server = connect(Number(port), hostname).on('error', () => {})
    server.pipe(client)
    setTimeout(() => client.pipe(server), delayMs)
  })
}

/**
 * @param endAfterMs when the others are closed
 * @returns a port of which the first connection reaches the server, and the others get no answer
 */
export async function relayFirst(
  t: Test,
  { hostname, port }: URL,
  endAfterMs?: number,
): Promise<string> {
  let count = 0
  return relay(t, (client) => {
    count += 1
    if (count > 1) {
      if (endAfterMs !== undefined) setTimeout(() => client.destroy(), endAfterMs)
      return
    }
    const server = connect(Number(port), hostname).on('error', () => {})
    client.pipe(server).pipe(client)
  })
}

export async function relay(t: Test, begin: (client: Socket) => void): Promise<string> {
  const server = createServer((client) => {
    client.on('error', () => {})
    begin(client)
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.teardown(() => server.close())
  const address = server.address()
  return typeof address === 'object' ? String(address?.port) : ''
}
