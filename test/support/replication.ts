import { cp, mkdir, readdir, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { withSession } from '@svc/database/testing'
import { startPostgres } from '@svc/local/postgres'
import { waitFor } from '@svc/runtime/testing'

export type PostgresServer = Awaited<ReturnType<typeof startPostgres>>

/**
 * Makes a standby of a running primary by a base backup, and starts it.
 *
 * @param directory of the standby; what is in it is replaced
 * @param options of the standby
 */
export async function startStandby(
  primary: PostgresServer & { readonly directory: string },
  directory: string,
  options: { readonly port: number; readonly durable?: boolean },
): Promise<PostgresServer> {
  await rm(directory, { recursive: true, force: true, maxRetries: 5 })
  await mkdir(directory, { mode: 0o700 })
  const [from, to] = [primary.directory, directory].map((path) => join(path, 'data'))
  if (from === undefined || to === undefined) throw new Error('no directory')
  await withSession(primary.url, async (db) => {
    await db.query(`SELECT pg_backup_start('standby', fast => true)`)
    await copyData(from, to)
    const [backup] = await db.query<{ labelfile: string }>(
      'SELECT labelfile FROM pg_backup_stop(wait_for_archive => false)',
    )
    await writeFile(join(to, 'backup_label'), backup?.labelfile ?? '')
  })
  await writeFile(join(to, 'standby.signal'), '')
  const { username, password } = new URL(primary.url)
  const source = `host=127.0.0.1 port=${primary.port} user=${username} password=${decodeURIComponent(password)}`
  const settings = [
    `primary_conninfo = '${source} application_name=standby'`,
    `wal_keep_size = '1GB'`,
    `recovery_target_timeline = 'latest'`,
  ]
  await writeFile(join(to, 'postgresql.auto.conf'), `${settings.join('\n')}\n`)
  return startPostgres({ directory, ...options })
}

/** All but what the backup of a running server leaves out; files may vanish meanwhile. */
async function copyData(from: string, to: string): Promise<void> {
  await mkdir(to, { mode: 0o700 })
  for (const name of await readdir(from)) {
    if (/^(postmaster\.(pid|opts)|pg_wal|pg_replslot|backup_label.*|standby\.signal)$/.test(name))
      continue
    await cp(join(from, name), join(to, name), { recursive: true, preserveTimestamps: true })
  }
  for (const name of ['pg_wal', 'pg_replslot']) await mkdir(join(to, name), { mode: 0o700 })
}

/** Makes commits on the primary wait for the standby, and returns once it has all that was committed. */
export async function waitForSynchronous(primary: PostgresServer): Promise<void> {
  await withSession(primary.url, async (db) => {
    await db.query(`ALTER SYSTEM SET synchronous_standby_names = 'standby'`)
    await db.query('SELECT pg_reload_conf()')
    await waitFor(async () => {
      const standbys = await db.query(
        `SELECT FROM pg_stat_replication
          WHERE sync_state = 'sync' AND state = 'streaming' AND flush_lsn >= pg_current_wal_lsn()`,
      )
      return standbys.length > 0
    })
  })
}

/** Makes a standby the primary. Resolves when it takes writes. */
export async function promote(standby: PostgresServer): Promise<void> {
  await withSession(standby.url, async (db) => {
    await db.query('SELECT pg_promote(true, 30)')
    await waitFor(async () => {
      const [row] = await db.query<{ isStandby: boolean }>(
        'SELECT pg_is_in_recovery() AS "isStandby"',
      )
      return row?.isStandby === false
    })
  })
}
