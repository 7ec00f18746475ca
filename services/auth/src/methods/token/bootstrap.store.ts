import type { Queryable } from '@svc/database'

export interface BootstrapState {
  /** Whether a first token was ever made. */
  readonly isDone: boolean
  readonly hasStaticTokens: boolean
  /** Whether the first token exists and is valid. */
  readonly isValid: boolean
  /** Whether it is valid and never expires. */
  readonly isEternal: boolean
}

/** Maximum wait for another process: it takes milliseconds, unless it was stopped. */
const lockTimeoutMs = 30_000

/** Reads the state, which no other process changes until the transaction ends. */
export async function lockBootstrapState(tx: Queryable): Promise<BootstrapState> {
  await tx.query(`SELECT pg_advisory_xact_lock(hashtextextended('auth.bootstrap', 0))`, [], {
    lockTimeoutMs,
  })
  const [state] = await tx.query<BootstrapState>(
    `SELECT b.is_done IS NOT NULL AS "isDone",
            EXISTS (SELECT FROM auth.authentications WHERE method = 'METHOD_TOKEN')
              AS "hasStaticTokens",
            a.id IS NOT NULL AND coalesce(a.expires_at > now(), true) AS "isValid",
            a.id IS NOT NULL AND a.expires_at IS NULL AS "isEternal"
       FROM (SELECT) AS one
       LEFT JOIN auth.bootstrap b ON true
       LEFT JOIN auth.authentications a ON a.id = b.authentication_id`,
  )
  if (state === undefined) throw new Error('the state of the first token has no row')
  return state
}

export async function markBootstrapped(tx: Queryable, authenticationId: string): Promise<void> {
  await tx.query(
    `INSERT INTO auth.bootstrap (authentication_id) VALUES ($1)
     ON CONFLICT (is_done) DO UPDATE SET authentication_id = $1, created_at = clock_timestamp()`,
    [authenticationId],
  )
}
