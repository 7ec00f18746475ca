import { hkdfSync } from 'node:crypto'
import { open, seal } from './seal.ts'

// What a provider gave us at a login is kept only in a form that the service itself cannot read: the
// key is made of the client token, which the browser alone has. docs/decisions/0011 has the reasons.

export interface SealedFor {
  /** Whose login it is. What is sealed for one login cannot be opened for another. */
  readonly authenticationId: string
  readonly clientToken: string
}

/** What is sealed; each kind has keys of its own. */
export type SealedKind = 'svc code host access token' | 'svc oidc id token'

export function sealForLogin(kind: SealedKind, text: string, login: SealedFor): string {
  return seal(keyOf(kind, login), login.authenticationId, text)
}

/** @returns `undefined` when it was not sealed for this login and this client token */
export function openForLogin(
  kind: SealedKind,
  sealed: string,
  login: SealedFor,
): string | undefined {
  return open([keyOf(kind, login)], login.authenticationId, sealed)
}

/** A client token has 256 random bits, so that nothing slower is needed to make a key of it. */
function keyOf(kind: SealedKind, { clientToken }: SealedFor): Buffer {
  return Buffer.from(hkdfSync('sha256', clientToken, '', kind, 32))
}
