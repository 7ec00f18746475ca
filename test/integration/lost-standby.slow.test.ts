import { openDatabase } from '@svc/database'
import { createLogger } from '@svc/runtime'
import { waitFor } from '@svc/runtime/testing'
import t, { type Test } from 'tap'
import { startPostgresServer } from '../support/postgres-server.ts'

const log = createLogger({ level: 'silent', encoding: 'json' }, 'test')

/** Time of the writes, in milliseconds: several times that after which one is given up. */
const writingMs = 12_000

const maxConnections = 8

t.setTimeout(120_000)

function open(t: Test, url: string, name: string) {
  const options = { name, maxConnections, maxWriting: 4, log, acquireTimeoutMs: 5000 }
  const db = openDatabase(url, options)
  t.teardown(() => db.close())
  return db
}

t.test('a primary that has lost its synchronous standby', async (t) => {
  const { url } = await startPostgresServer(t)
  const admin = open(t, url, 'admin')
  await admin.query('CREATE TABLE notes (id serial PRIMARY KEY)')
  const db = open(t, url, 'writer')
  const setStandby = async (setting: string) => {
    await admin.query(`ALTER SYSTEM ${setting}`)
    await admin.query('SELECT pg_reload_conf()')
  }
  const write = () => db.transaction((tx) => tx.query('INSERT INTO notes DEFAULT VALUES'))
  const writeAlone = () => db.query('INSERT INTO notes DEFAULT VALUES')
  const countSessions = async () => {
    const [row] = await admin.query<{ count: number }>(
      `SELECT count(*) FROM pg_stat_activity WHERE application_name = 'writer'`,
    )
    return row?.count ?? 0
  }
  await write()
  await setStandby(`SET synchronous_standby_names = 'gone'`)
  await waitFor(async () => {
    const [row] = await admin.query('SHOW synchronous_standby_names')
    return JSON.stringify(row).includes('gone')
  })

  await t.test('keeps few sessions, and serves reads', async (t) => {
    const end = performance.now() + writingMs
    const reasons = new Set<string>()
    const repeat = async (work: () => Promise<unknown>, note: (reason: string) => void) => {
      while (performance.now() < end) {
        await work().catch((error: unknown) => note(String(error)))
        await new Promise(setImmediate)
      }
    }
    const failedReads: string[] = []
    const noteWrite = (reason: string) => void reasons.add(reason)
    await Promise.all([
      ...Array.from({ length: 8 }, () => repeat(write, noteWrite)),
      ...Array.from({ length: 2 }, () => repeat(writeAlone, noteWrite)),
      repeat(
        () => db.query('SELECT count(*) FROM notes'),
        (reason) => void failedReads.push(reason),
      ),
    ])
    const sessions = await countSessions()
    t.ok(sessions <= 2 * maxConnections, `${sessions} sessions`)
    t.strictSame(failedReads, [])
    t.match([...reasons].join('\n'), /the database does not confirm changes/)
  })

  await t.test('takes writes again with a standby, or when it needs none', async () => {
    await setStandby('RESET synchronous_standby_names')
    for (const work of [write, writeAlone]) {
      await waitFor(() =>
        work().then(
          () => true,
          () => false,
        ),
      )
    }
    await waitFor(async () => (await countSessions()) <= maxConnections)
  })
})
