import type { ServiceContext } from '../../credentials/context.ts'
import { deleteToken } from '../../credentials/revocations/revoked-tokens.store.ts'
import { findLogins, type LoginHolder } from './logins.store.ts'

/** @returns how many there were */
export type EndLogins = (holder: LoginHolder) => Promise<number>

/** Ends the logins of a person who has logged out at the identity provider. */
export function loginEnder({ db, revoke }: Pick<ServiceContext, 'db' | 'revoke'>): EndLogins {
  return async (holder) => {
    const ids = await findLogins(db, holder)
    for (const id of ids) await revoke((tx) => deleteToken(tx, id))
    return ids.length
  }
}
