/** One event, in the transaction of what it records. */
export type RecordedType =
  | 'token.created'
  | 'token.rotated'
  | 'token.deleted'
  | 'token.expired'
  | 'cli.allowed'
  | 'login.succeeded'
  | 'session.signed_out'
  | 'session.ended'

/** Events that come in numbers: one stands for all of a minute that are alike. */
export type CountedType = 'login.refused' | 'request.refused' | 'workload.exchanged'

/** Who did something. */
export interface Actor {
  /** The same at each login, see {@link Identity.principal}; `anonymous` or `system` without a credential. */
  readonly id: string
  readonly method: string
  /** Empty: not known. */
  readonly name: string
}

/** Without a credential. */
export const anonymousActor: Actor = { id: 'anonymous', method: '', name: '' }

/** What the service does by itself, or on the command line. */
export const systemActor: Actor = { id: 'system', method: '', name: '' }

/** By whom, and from where. */
export interface Origin {
  readonly actor: Actor
  /** Empty: not known. */
  readonly address: string
}

export const systemOrigin: Origin = { actor: systemActor, address: '' }

/** More about an event. Never a secret, nor a text of a peer. */
export type Details = Readonly<Record<string, string | number | readonly string[]>>

export interface NewEvent extends Origin {
  readonly type: RecordedType | CountedType
  /** The id of the record that it is about; empty: none. */
  readonly subject: string
  readonly details: Details
}
