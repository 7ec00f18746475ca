import { readdir } from 'node:fs/promises'
import { AppError } from '@svc/runtime'

/** Names of a directory's migrations, without `.sql`, in the order of their application. */
export async function listMigrations(directory: URL): Promise<string[]> {
  const files = (await readdir(directory)).filter((file) => !file.startsWith('.')).sort()
  for (const file of files) {
    // The digits give the order, and the name goes into SQL as it is.
    if (!/^\d{4}_[a-z0-9_]+\.sql$/.test(file)) {
      throw new Error(`not a migration, which is named as in 0001_flags.sql: ${file}`)
    }
  }
  return files.map((file) => file.slice(0, -'.sql'.length))
}

/** Number of the last migration; `0` before the first. */
export function versionOf(names: readonly string[]): string {
  return String(Number.parseInt(names.at(-1) ?? '0', 10))
}

/** @throws {AppError} when a later build has migrated this database */
export function refuseUnknown(applied: readonly string[], known: readonly string[]): void {
  const [unknown] = applied.filter((name) => !known.includes(name))
  if (unknown === undefined) return
  const [theirs, ours] = [versionOf([...applied].sort()), versionOf(known)]
  const fact =
    Number(theirs) > Number(ours)
      ? `Database is at version ${theirs}, this build knows ${ours}`
      : `Database has the migration ${unknown}, which this build does not know`
  const message = `${fact}. Upgrade svc, or restore a backup.`
  throw new AppError('failed_precondition', 'database_too_new', message)
}
