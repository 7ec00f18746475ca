import type { Queryable } from '@svc/database'
import type { Method } from '@svc/proto/auth/v1/authentications'
import type { Identity } from '@svc/proto/auth/v1/identities'
import type { SubjectOf } from '../records/principal.ts'

type Metadata = Readonly<Record<string, string>>

/** What a login policy decides by. */
export interface PolicedLogin {
  readonly metadata: Metadata
  /** Who said whose login it is; empty for a record that is no login of a person. */
  readonly issuer: string
}

/** Whether a session is still allowed by the settings as they are now. */
export type LoginPolicy = (login: PolicedLogin) => boolean

/** What an authentication method adds to the handling of its credentials. */
export interface MethodHooks {
  /** The key of its settings, which messages call it by. */
  readonly section: string
  /** Whether its credentials may manage tokens. */
  readonly managesTokens: boolean
  /** What messages call the holder of a record without a token's name. */
  readonly nameOf?: (metadata: Metadata) => string | undefined
  /**
   * What the issuer calls the holder, the same at each login, beginning with the name of the issuer in the
   * settings if there are several. Left out: the record that the credential was first made of stands for
   * its holder, by its id.
   */
  readonly subjectOf?: SubjectOf
  /** Asked at each use of a record. Left out: allowed. */
  readonly isAllowed?: LoginPolicy
  /**
   * Verifies credentials of a form of its own, of which no record is kept.
   *
   * @returns `undefined` for a credential of another form
   */
  readonly verify?: (credential: string) => Promise<Identity> | undefined
  /** Observes uses of client tokens. Neither waits nor throws. */
  readonly onUse?: (authenticationId: string, clientToken: string) => void
  /**
   * What it keeps of a session and needs of a token that the command line gets from it. It is sealed on
   * its way.
   *
   * @returns nothing for a session of which it needs nothing
   */
  readonly secretOf?: (db: Queryable, session: Login) => Promise<string | undefined>
  /** Keeps that of the token, in the transaction that makes it. */
  readonly keepSecret?: (tx: Queryable, token: Login, secret: string) => Promise<void>
  /**
   * Called before a session is deleted.
   *
   * @returns what finds the URL where the browser signs out at the identity provider; empty for none.
   *   It does not throw
   */
  readonly prepareSignOut?: (session: SigningOut) => Promise<() => Promise<string>>
}

/** A record, with the token that it is of. */
interface Login {
  readonly authenticationId: string
  readonly clientToken: string
}

/** A session that its holder signs out of. */
export interface SigningOut extends Login {
  readonly metadata: Metadata
}

/** One entry for each method, enabled or not. */
export type HooksByMethod = ReadonlyMap<Method, MethodHooks>
