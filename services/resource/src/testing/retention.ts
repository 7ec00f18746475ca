import { ChainKeys } from '@svc/audit'
import { createLogger } from '@svc/runtime'
import type { Test } from 'tap'
import { configureLog } from '../changes/log-settings.ts'
import { logOldChanges, type OldChanges } from './old-changes.ts'
import { openResources } from './resources.ts'

/** In hours. */
export const day = 24
export const dayMs = day * 3_600_000
export const keys = new ChainKeys('key')
export const log = createLogger({ level: 'silent', encoding: 'json' }, 'test')

/** A database with the log of the past, and what retention needs. */
export async function openRetention(t: Test) {
  const resources = await openResources(t)
  const { db, verifyChanges } = resources
  configureLog(db, { keys, dailyBytes: 2 ** 31 })
  const errors = t.capture(log, 'error')
  const infos = t.capture(log, 'info')
  return {
    ...resources,
    options: { db, log, keys, retentionMs: 400 * dayMs },
    errors: () => errors().map(({ args }) => args[0] as Record<string, unknown>),
    lines: () => infos().map(({ args }) => args as unknown as [Record<string, unknown>, string]),
    logOld: (hoursAgo: readonly number[], more: Partial<OldChanges> = {}) =>
      logOldChanges(db, { hoursAgo, keys, ...more }),
    async revisions(namespaceKey = 'default', table = 'changes'): Promise<number[]> {
      const rows = await db.query<{ revision: number }>(
        `SELECT DISTINCT revision FROM resource.${table} WHERE namespace_key = $1 ORDER BY 1`,
        [namespaceKey],
      )
      return rows.map(({ revision }) => revision)
    },
    /** The break that verification names. */
    async findBreak(namespaceKey = 'default') {
      const { intact, brokenAt, fault } = await verifyChanges({ namespaceKey })
      return intact ? 'intact' : (brokenAt ?? fault)
    },
    /** Edits by SQL as the owner of the tables can, and nothing of it stays. */
    async edited(statements: readonly string[], check: () => Promise<void>) {
      const tables = ['changes', 'change_items', 'chains']
      for (const table of tables) {
        await db.query(`ALTER TABLE resource.${table} DISABLE TRIGGER USER`)
        await db.query(`CREATE TABLE kept_${table} AS TABLE resource.${table}`)
      }
      for (const statement of statements) await db.query(statement)
      for (const table of tables)
        await db.query(`ALTER TABLE resource.${table} ENABLE TRIGGER USER`)
      await check()
      for (const table of tables) {
        await db.query(`ALTER TABLE resource.${table} DISABLE TRIGGER USER`)
        await db.query(`DELETE FROM resource.${table}`)
        await db.query(`INSERT INTO resource.${table} TABLE kept_${table}`)
        await db.query(`DROP TABLE kept_${table}`)
        await db.query(`ALTER TABLE resource.${table} ENABLE TRIGGER USER`)
      }
    },
  }
}
