import type { Queryable } from '@svc/database'
import type { Test } from 'tap'
import type { Fleet } from './fleet.ts'

/** Things that must be seen nowhere, by what they are. */
export class Secrets extends Map<string, string> {
  /** Makes one up. */
  plant(name: string): string {
    const secret = `canary-${this.size}-${Math.random().toString(36).slice(2)}`
    this.set(name, secret)
    return secret
  }
}

/**
 * Looks for secrets in all that services have logged and stored, and in what they answered.
 *
 * @returns the logs
 */
export async function findNone(
  t: Test,
  secrets: Secrets,
  { db, fleet, answers }: { db: Queryable; fleet: Fleet; answers: readonly string[] },
): Promise<string> {
  const { auths, gateways, resources } = fleet
  const logs = JSON.stringify([...auths, ...gateways, ...resources].map(({ lines }) => lines))
  const outputs = { logs, rows: await allRows(db), answers: answers.join('\n') }
  for (const [where, output] of Object.entries(outputs)) {
    t.ok(output.length > 500, `${where} are looked at: ${output.length} characters`)
    for (const [name, secret] of secrets) {
      if (secret.length > 8 && output.includes(secret)) t.fail(`${name} is in the ${where}`)
    }
  }
  t.comment(`${secrets.size} secrets, found nowhere`)
  t.ok(secrets.size >= 30)
  return logs
}

async function allRows(db: Queryable): Promise<string> {
  const tables = await db.query<{ name: string }>(
    `SELECT format('%I.%I', schemaname, tablename) AS name FROM pg_tables
      WHERE schemaname IN ('auth', 'resource')`,
  )
  const rows = await Promise.all(
    tables.map(({ name }) => db.query(`SELECT t::text AS row FROM ${name} AS t`)),
  )
  return JSON.stringify(rows)
}
