import { createTestDatabase } from '@svc/database/testing'

/** A database that can be put back to what it was. No service may have a connection meanwhile. */
export interface RestorableDatabase {
  readonly url: string
  /** Keeps what there is now. */
  backUp(): Promise<void>
  /** Puts back what was kept, as restoring a backup does. */
  restore(): Promise<void>
}

export async function createRestorableDatabase(t: {
  teardown(work: () => Promise<void>): void
}): Promise<RestorableDatabase> {
  const database = await createTestDatabase(t)
  // A database cannot be copied by a connection of its own.
  const other = await createTestDatabase(t)
  const name = new URL(database.url).pathname.slice(1)
  const backup = `${name}_backup`
  const copy = async (from: string, to: string) => {
    await other.query(`DROP DATABASE IF EXISTS ${to} WITH (FORCE)`)
    // What a killed service leaves behind, and a pool that nothing uses.
    const end = 'SELECT pg_terminate_backend(pid, 5000) FROM pg_stat_activity WHERE datname = $1'
    await other.query(end, [from])
    await other.query(`CREATE DATABASE ${to} TEMPLATE ${from} STRATEGY FILE_COPY`)
  }
  t.teardown(async () => {
    await other.query(`DROP DATABASE IF EXISTS ${backup} WITH (FORCE)`)
  })
  return {
    url: database.url,
    backUp: () => copy(name, backup),
    restore: () => copy(backup, name),
  }
}
