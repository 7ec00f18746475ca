import type { Queryable } from '@svc/database'
import type { Use } from '@svc/proto/auth/v1/identities'
import { invalidField } from '@svc/runtime'
import { recordUses } from './uses.store.ts'

/** Maximum rows that a statement writes, in some 20 ms. */
const maxUses = 1000

/** Maximum age of a use: gateways report once a minute and repeat what failed; later it is useless. */
const maxAgeMs = 3_600_000

/** @throws {AppError} `invalid_argument` for more than 1,000 uses */
export async function reportUses(db: Queryable, uses: readonly Use[]): Promise<void> {
  if (uses.length > maxUses) throw invalidField('uses', `must be at most ${maxUses}`)
  const plausible = uses.filter(
    ({ authenticationId, count, lastUsedMsAgo, lastAddress }) =>
      /^[0-9a-f-]{36}$/.test(authenticationId) &&
      count > 0 &&
      lastUsedMsAgo >= 0 &&
      lastUsedMsAgo <= maxAgeMs &&
      /^[0-9A-Fa-f.:]{0,45}$/.test(lastAddress),
  )
  if (plausible.length > 0) await recordUses(db, plausible)
}
