import { AppError, unavailable } from '@svc/runtime'
import pg from 'pg'

export type ConstraintKind = 'unique' | 'foreign_key' | 'check' | 'not_null'

/** The database refused a row. The use case knows what that means to the caller. */
export class ConstraintViolation extends Error {
  override readonly name = 'ConstraintViolation'
  readonly kind: ConstraintKind
  /** The constraint's name, or the column's where `kind` is `not_null`. */
  readonly constraint: string

  constructor(kind: ConstraintKind, constraint: string, options?: ErrorOptions) {
    super(`violates ${kind} constraint ${constraint}`, options)
    this.kind = kind
    this.constraint = constraint
  }
}

/** PostgreSQL's appendix A. `RESTRICT` has a code of its own since version 18. */
const constraintKinds: Readonly<Record<string, ConstraintKind>> = {
  '23001': 'foreign_key',
  '23502': 'not_null',
  '23503': 'foreign_key',
  '23505': 'unique',
  '23514': 'check',
}

/**
 * Connection trouble (08), no room (53), ending or cancelled (57), trouble with files (58), idle for too long
 * (25P03), a row locked for too long (55P03), or two transactions that cannot both be right (40001, 40P01).
 */
const passing = /^(08|53|57|58|25P03|55P03|40001|40P01)/

/** The database may be busy, or a request may ask for more than a statement has time for. */
const tooSlow = 'the database took too long: try again, and with less at once if it does again'

/**
 * What a failed statement means to the caller: a {@link ConstraintViolation}, an `unavailable`
 * {@link AppError} when the database is in trouble, or else the error itself, which is a defect.
 */
export function translateError(error: unknown): unknown {
  if (error instanceof pg.DatabaseError) {
    const kind = constraintKinds[error.code ?? '']
    if (kind !== undefined) {
      const name = error.constraint ?? error.column ?? ''
      return new ConstraintViolation(kind, name, { cause: error })
    }
    if (error.code === '57014') return unavailable(tooSlow, { cause: error })
    const mayPass = passing.test(error.code ?? '') || isOfReadOnlyServer(error)
    return mayPass || isOutdatedStatement(error) ? outage(error) : error
  }
  if (error instanceof AppError) return error
  // A value that cannot be sent or read; what is left is the connection, or the wait for one.
  const isDefect = error instanceof TypeError || error instanceof RangeError
  return isDefect ? error : outage(error)
}

/** Whether a statement waited too long for a row that another transaction has locked. */
export function isLockTimeout(error: unknown): boolean {
  const cause = error instanceof AppError ? error.cause : undefined
  return cause instanceof pg.DatabaseError && cause.code === '55P03'
}

/**
 * Whether a statement took longer than it may, or was cancelled. After an outage the same statement may be done; one
 * that takes too long may do so each time. Accepts the translated error.
 */
export function isStatementTimeout(error: unknown): boolean {
  const cause = error instanceof AppError ? error.cause : undefined
  return cause instanceof pg.DatabaseError && cause.code === '57014'
}

/**
 * Whether a statement was refused because the server, or its session, only reads: a write, or a read of an unlogged
 * table, which a standby does not have. Accepts the translated error.
 */
export function isOfReadOnlyServer(error: unknown): boolean {
  const cause = error instanceof AppError ? error.cause : error
  if (!(cause instanceof pg.DatabaseError)) return false
  const { code, routine } = cause
  return code === '25006' || (code === '0A000' && routine === 'get_relation_info')
}

/**
 * Whether a statement got no answer, not even that it took too long. These are the driver's own words. Accepts the
 * translated error.
 */
export function isUnanswered(error: unknown): boolean {
  const cause = error instanceof AppError ? error.cause : error
  return cause instanceof Error && cause.message === 'Query read timeout'
}

/**
 * Whether a prepared statement is unknown to its connection, or a migration has changed the type of
 * its result. The statement has not run. Accepts the server's error and the translated one.
 */
export function isOutdatedStatement(error: unknown): boolean {
  const cause = error instanceof AppError ? error.cause : error
  if (!(cause instanceof pg.DatabaseError)) return false
  const { code, routine } = cause
  return code === '26000' || (code === '0A000' && routine === 'RevalidateCachedQuery')
}

/** Whether a statement was refused for another one of its transaction that had failed. */
export function isOfAbortedTransaction(error: unknown): boolean {
  return error instanceof pg.DatabaseError && error.code === '25P02'
}

/** @param cause for the log alone: it may name hosts and users */
export function outage(cause: unknown): AppError {
  return unavailable('the database is not available', { cause })
}

/** Whether the connection cannot be used after this error. */
export function breaksConnection(error: unknown): boolean {
  if (!(error instanceof pg.DatabaseError)) return true
  if (isOfReadOnlyServer(error)) return true
  return error.severity === 'FATAL' || /^(08|57P|XX)/.test(error.code ?? '')
}
