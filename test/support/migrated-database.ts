import { openTestDatabase, type Test, type TestDatabase } from '@svc/database/testing'

/** This file is test/dist/support/migrated-database.js. */
const migrationsOf = (service: string) =>
  new URL(`../../../services/${service}/migrations/`, import.meta.url)

const schemas = { auth: migrationsOf('auth'), resource: migrationsOf('resource') }

/** A database in which services find nothing to migrate: it takes less than to migrate one for each test. */
export function openMigratedDatabase(t: Test): Promise<TestDatabase> {
  return openTestDatabase(t, schemas)
}
