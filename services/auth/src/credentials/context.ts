import type { Settings } from '@svc/config'
import type { Database, Queryable } from '@svc/database'
import type { AuthenticateTicketRequest } from '@svc/proto/auth/v1/identities'
import type { Logger } from '@svc/runtime'
import type { EventLog } from '../events/event-log.ts'
import type { AuthenticationCounts } from './authentication-metrics.ts'
import type { TokenCache } from './cache/redis-cache.ts'
import type { HooksByMethod } from './lookup/method-hooks.ts'
import type { Holder } from './records/authentications.store.ts'
import type { Cause } from './revocations/endings.ts'
import type { RecentRevocations } from './revocations/recent-revocations.ts'
import type { RevokedToken } from './revocations/revoked-tokens.store.ts'

/** What handlers, methods and jobs work with. One in a process; see `auth.ts`. */
export interface ServiceContext<S extends Settings = Settings> {
  readonly settings: S
  readonly log: Logger
  /** Connections for requests. */
  readonly db: Database
  /** Connections for starts and jobs: those never wait for requests, nor requests for them. */
  readonly background: Database
  /**
   * Finds the holder of a credential.
   *
   * @throws {AppError} `unauthenticated`; `unavailable` when it cannot be decided
   */
  authenticate(credential: string): Promise<Holder>
  /** Finds the holder of a ticket, and refuses it as the token that it was made of would be. */
  authenticateTicket(ticket: AuthenticateTicketRequest): Promise<Holder>
  readonly hooks: HooksByMethod
  /**
   * Ends tokens, or secrets of tokens, before their time; there is no other way. When this returns, the
   * revocations are committed, this process refuses the tokens, and the others are being notified.
   *
   * @param change a function of `revoked-tokens.store.ts`
   * @param cause for the log of events, to which it is written in the same transaction
   * @returns what was changed
   * @throws {AppError} `unavailable` when nothing was changed, or the outcome is unknown
   */
  revoke(
    change: (tx: Queryable) => Promise<readonly RevokedToken[]>,
    cause: Cause,
  ): Promise<readonly RevokedToken[]>
  readonly events: EventLog
  readonly counts: AuthenticationCounts
  readonly revocations: RecentRevocations
  readonly shared: TokenCache
  readonly isFollowing: () => boolean
  /** By the clock of the database, in milliseconds since 1970. */
  readonly nowMs: () => number
}
