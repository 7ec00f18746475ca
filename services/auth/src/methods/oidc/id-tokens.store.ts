import type { Queryable } from '@svc/database'
import { openForLogin, type SealedFor, sealForLogin } from '../login/seal.ts'

const kind = 'svc oidc id token'

/**
 * Maximum length of an ID token that is kept, in characters. It goes into a URL, and Keycloak refuses
 * request lines above 4096 bytes: a logout without a hint asks the user, too long a line fails.
 */
const maxLength = 3072

/** Stores the ID token of a login until that ends, unless it is too long. */
export async function keepIdToken(tx: Queryable, login: SealedFor, idToken: string): Promise<void> {
  if (idToken.length > maxLength) return
  await tx.query(
    'INSERT INTO auth.oidc_id_tokens (authentication_id, sealed_id_token) VALUES ($1, $2)',
    [login.authenticationId, sealForLogin(kind, idToken, login)],
  )
}

/** @returns `undefined` when none was kept, or this is not the client token of the login */
export async function findIdToken(db: Queryable, login: SealedFor): Promise<string | undefined> {
  const [row] = await db.query<{ sealed: string }>(
    'SELECT sealed_id_token AS sealed FROM auth.oidc_id_tokens WHERE authentication_id = $1',
    [login.authenticationId],
  )
  return row && openForLogin(kind, row.sealed, login)
}
