import { isLockTimeout, isStatementTimeout } from '@svc/database'
import { AppError } from '@svc/runtime'

/** Maximum items that fail for want of the database, before the rest is left for the next run. */
const maxOutages = 3

/**
 * Does background work on one item after the other: one that fails does not keep the others from their turn.
 *
 * @param work resolves to `false` to end the run, as when another process is at it
 * @param onFailure is told of one that fails
 * @throws {AppError} of the third that fails for want of the database
 */
export async function forEachItem(
  items: readonly string[],
  work: (item: string) => Promise<unknown>,
  onFailure: (error: unknown, item: string) => void,
): Promise<void> {
  let outages = 0
  for (const item of items) {
    try {
      if ((await work(item)) === false) return
    } catch (error) {
      if (isOutage(error)) outages += 1
      if (outages === maxOutages) throw error
      onFailure(error, item)
    }
  }
}

/** A lock or a statement that took too long is of this item alone. */
function isOutage(error: unknown): boolean {
  if (!(error instanceof AppError) || error.code !== 'unavailable') return false
  return !isLockTimeout(error) && !isStatementTimeout(error)
}
