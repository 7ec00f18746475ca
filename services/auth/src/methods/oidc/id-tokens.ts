import type { Queryable } from '@svc/database'
import { openForLogin, type SealedFor, sealForLogin } from '../login/sealed-for-login.ts'
import { findSealedIdToken, insertIdToken } from './id-tokens.store.ts'

const kind = 'svc oidc id token'

/**
 * Maximum length of an ID token that is kept, in characters. It goes into a URL, and Keycloak refuses
 * request lines above 4096 bytes: a logout without a hint asks the person, too long a line fails.
 */
const maxLength = 3072

/** Stores the ID token of a login until that ends, unless it is too long. */
export async function keepIdToken(tx: Queryable, login: SealedFor, idToken: string): Promise<void> {
  if (idToken.length > maxLength) return
  await insertIdToken(tx, login.authenticationId, sealForLogin(kind, idToken, login))
}

/** @returns `undefined` when none was kept, or this is not the client token of the login */
export async function findIdToken(db: Queryable, login: SealedFor): Promise<string | undefined> {
  const sealed = await findSealedIdToken(db, login.authenticationId)
  return sealed === undefined ? undefined : openForLogin(kind, sealed, login)
}
