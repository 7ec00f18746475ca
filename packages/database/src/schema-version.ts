import { AppError } from '@svc/runtime'

/** What a database and a build have of the migrations of a schema. */
export interface SchemaState {
  /** Migrations that the database has yet to get, oldest first. */
  readonly missing: readonly string[]
  /** Migrations of a later build, on which this one runs as well. */
  readonly newer: readonly string[]
}

/**
 * Compares the migrations of a database with those of a build. A later build may have migrated the database:
 * its migrations only add, which earlier builds do not notice, unless their name ends in `_since_1_4`. On
 * those, builds before version 1.4 do not run.
 *
 * @param applied names of migrations in the order of their numbers
 * @param known of the build, in the same order
 * @param version of the build, such as `1.4.0`
 * @throws {AppError} `database_too_new` when the build does not run on that schema
 */
export function compareSchema(
  applied: readonly string[],
  known: readonly string[],
  version: string,
): SchemaState {
  const newer = applied.filter((name) => !known.includes(name))
  const missing = known.filter((name) => !applied.includes(name))
  const [first] = newer
  if (first === undefined) return { missing, newer }
  const isLater = Number(versionOf([first])) > Number(versionOf(known))
  if (!isLater || missing.length > 0) {
    throw tooNew(`Database has the migration ${first}, which this build does not know`)
  }
  const breaking = newer.find((name) => !runsOn(name, version))
  if (breaking !== undefined) {
    throw tooNew(
      `Database is at version ${versionOf(applied)}, this build knows ${versionOf(known)}` +
        ` and does not run on ${breaking}`,
    )
  }
  return { missing, newer }
}

/** Number of the last migration; `0` before the first. */
export function versionOf(names: readonly string[]): string {
  return String(Number.parseInt(names.at(-1) ?? '0', 10))
}

/** Whether a build runs on a schema that has a migration which it does not know. */
function runsOn(migration: string, version: string): boolean {
  const since = /_since_(\d+)_(\d+)$/.exec(migration)
  if (since === null) return true
  const [major = 0, minor = 0] = version.split('.').map(Number)
  const [wantedMajor, wantedMinor] = [Number(since[1]), Number(since[2])]
  return major > wantedMajor || (major === wantedMajor && minor >= wantedMinor)
}

function tooNew(fact: string): AppError {
  const message = `${fact}. Upgrade svc, or restore a backup.`
  return new AppError('failed_precondition', 'database_too_new', message)
}
