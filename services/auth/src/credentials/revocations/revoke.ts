import type { ServiceContext } from '../context.ts'
import { notifyListeners, recordRevocations } from './revocations.store.ts'

/**
 * See {@link ServiceContext.revoke}. Other processes are notified by the database, which is certain,
 * and through the cache, which may be quicker.
 */
export function revokeWith({
  db,
  shared,
  revocations,
}: Pick<ServiceContext, 'db' | 'shared' | 'revocations'>): ServiceContext['revoke'] {
  return async (change) => {
    const { revoked, recorded } = await db.transaction(async (tx) => {
      const revoked = await change(tx)
      if (revoked.length === 0) return { revoked, recorded: [] }
      await notifyListeners(tx)
      return { revoked, recorded: await recordRevocations(tx, revoked) }
    })
    revocations.accept(recorded)
    await shared.revoke(recorded.map(({ tokenHash }) => tokenHash))
    return revoked
  }
}
