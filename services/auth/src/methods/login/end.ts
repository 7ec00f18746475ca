import { deleteToken } from '../../credentials/revocations/ended-tokens.store.ts'
import { type RevocationParts, revoke } from '../../credentials/revocations/revoke.ts'
import { findLogins, type LoginHolder } from './logins.store.ts'

/** @returns how many there were */
export type EndLogins = (holder: LoginHolder) => Promise<number>

/** Ends the logins of somebody who has logged out at the far side. */
export function loginEnder(parts: RevocationParts): EndLogins {
  return async (holder) => {
    const ids = await findLogins(parts.db, holder)
    for (const id of ids) await revoke(parts, (tx) => deleteToken(tx, id))
    return ids.length
  }
}
