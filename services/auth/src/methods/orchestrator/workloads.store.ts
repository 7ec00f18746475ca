import type { Queryable } from '@svc/database'
import type { Authentication } from '@svc/proto/auth/v1/authentications'
import {
  type AuthenticationRow,
  authenticationColumns,
  toAuthentication,
  toBytes,
} from '../../credentials/records/authentications.store.ts'
import type { Workload } from './admission.ts'
import { workloadMetadata } from './metadata.ts'

/**
 * Stores a client token of a workload, which is good for as long as the token that was exchanged for
 * it and `maxTtlMs` at most, by the clock of the database.
 *
 * @returns nothing when that one has expired
 */
export async function insertWorkload(
  db: Queryable,
  { account, namespaceKey, expiresAt }: Workload,
  tokenHash: string,
  maxTtlMs: number,
): Promise<Authentication | undefined> {
  const [row] = await db.query<AuthenticationRow>(
    `INSERT INTO auth.authentications (method, token_hash, metadata, namespace_key, expires_at)
     SELECT 'METHOD_ORCHESTRATOR', $1::bytea, $2::jsonb, NULLIF($3, ''),
            least(to_timestamp($4), now() + $5 * interval '1 millisecond')
      WHERE to_timestamp($4) > now()
     RETURNING ${authenticationColumns}`,
    [
      toBytes(tokenHash),
      JSON.stringify(workloadMetadata(account)),
      namespaceKey,
      expiresAt,
      maxTtlMs,
    ],
  )
  return row && toAuthentication(row)
}
