import type { Queryable } from '@svc/database'

export async function insertIdToken(
  tx: Queryable,
  authenticationId: string,
  sealedIdToken: string,
): Promise<void> {
  await tx.query(
    'INSERT INTO auth.oidc_id_tokens (authentication_id, sealed_id_token) VALUES ($1, $2)',
    [authenticationId, sealedIdToken],
  )
}

export async function findSealedIdToken(
  db: Queryable,
  authenticationId: string,
): Promise<string | undefined> {
  const [row] = await db.query<{ sealedIdToken: string }>(
    `SELECT sealed_id_token AS "sealedIdToken" FROM auth.oidc_id_tokens
      WHERE authentication_id = $1`,
    [authenticationId],
  )
  return row?.sealedIdToken
}
