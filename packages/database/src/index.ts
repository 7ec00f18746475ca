export { DatabaseClock, readClock } from './clock.ts'
export {
  type Database,
  type DatabaseOptions,
  openDatabase,
  type Queryable,
  type QueryOptions,
} from './database.ts'
export { type ConstraintKind, ConstraintViolation, isLockTimeout } from './errors.ts'
export { formatInstant, type Instant, parseInstant } from './instant.ts'
export { type ListenOptions, listen } from './listen.ts'
export { type MigrationResult, migrate, waitForMigrations } from './migrate.ts'
export type { Patience } from './patience.ts'
export type { TransactionOptions } from './transaction.ts'
