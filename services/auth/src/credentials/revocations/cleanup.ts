import type { Database } from '@svc/database'
import type { Method } from '@svc/proto/auth/v1/authentications'
import { type Logger, type Running, startEvery } from '@svc/runtime'
import { deleteExpiredTokens, tryLockCleanup } from './revoked-tokens.store.ts'

/** Maximum rows that a statement locks, for some 20 ms. */
const batchSize = 1000

/**
 * Deletes the tokens of a method that expired more than `gracePeriodMs` ago. Of several processes one
 * does the work.
 *
 * @returns how many this process deleted
 */
export async function cleanUp(
  db: Database,
  method: Method,
  gracePeriodMs: number,
  signal?: AbortSignal,
): Promise<number> {
  let count = 0
  for (;;) {
    const deleted = await db.transaction(async (tx) =>
      (await tryLockCleanup(tx, method))
        ? deleteExpiredTokens(tx, method, gracePeriodMs, batchSize)
        : 0,
    )
    count += deleted
    if (deleted < batchSize || signal?.aborted) return count
  }
}

export interface CleanupSettings {
  readonly interval: number
  readonly gracePeriod: number
}

/** Cleans up at intervals until it is closed. */
export function startCleanup(
  { background, log }: { readonly background: Database; readonly log: Logger },
  method: Method,
  { interval, gracePeriod }: CleanupSettings,
): Running {
  return startEvery(interval, log, async (signal) => {
    const count = await cleanUp(background, method, gracePeriod, signal)
    if (count > 0) log.info({ method, count }, 'deleted expired tokens')
  })
}
