import type { ServiceContext } from '../context.ts'
import { endingsOf } from './endings.ts'
import { notifyListeners, recordRevocations } from './revocations.store.ts'

/**
 * See {@link ServiceContext.revoke}. Other processes are notified by the database, which is certain,
 * and through the cache, which may be quicker.
 */
export function revokeWith({
  db,
  shared,
  revocations,
  events,
}: Pick<ServiceContext, 'db' | 'shared' | 'revocations' | 'events'>): ServiceContext['revoke'] {
  return async (change, cause) => {
    const { revoked, recorded } = await db.transaction(async (tx) => {
      const revoked = await change(tx)
      if (revoked.length === 0) return { revoked, recorded: [] }
      await notifyListeners(tx)
      const recorded = await recordRevocations(tx, revoked)
      await events.append(tx, endingsOf(revoked, cause))
      return { revoked, recorded }
    })
    revocations.accept(recorded)
    await shared.revoke(recorded.map(({ tokenHash }) => tokenHash))
    return revoked
  }
}
