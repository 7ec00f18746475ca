import type { Queryable } from '@svc/database'
import type { Authentication } from '@svc/proto/auth/v1/authentications'
import {
  type AuthenticationRow,
  authenticationColumns,
  toAuthentication,
} from '../../credentials/records/authentications.store.ts'
import { type Hash, toBytes } from '../../credentials/records/token.ts'
import { workloadMetadata } from './metadata.ts'
import type { Workload } from './verify-workload.ts'

/**
 * Stores a client token of a workload. It expires with the service-account token, after `maxTtlMs` at
 * most, by the clock of the database.
 *
 * @returns `undefined` when the service-account token has expired
 */
export async function insertWorkload(
  db: Queryable,
  { account, namespaceKey, expiresAt }: Workload,
  tokenHash: Hash,
  maxTtlMs: number,
): Promise<Authentication | undefined> {
  const [row] = await db.query<AuthenticationRow>(
    `INSERT INTO auth.authentications (method, token_hash, metadata, namespace_key, expires_at,
                                       is_session)
     SELECT 'METHOD_ORCHESTRATOR', $1::bytea, $2::jsonb, NULLIF($3, ''),
            least(to_timestamp($4), now() + $5 * interval '1 millisecond'), false
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
