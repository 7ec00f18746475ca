import { hkdfSync } from 'node:crypto'
import { open, seal } from './seal.ts'

// Secrets of an identity provider are stored only in a form that this service cannot read by itself:
// the key is derived from the client token, which only the browser has. See docs/decisions/0011.

export interface SealedFor {
  /** The login. What is sealed for one cannot be opened for another. */
  readonly authenticationId: string
  readonly clientToken: string
}

/** Each kind has keys of its own. */
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

/** A client token has 256 random bits, so no slower key derivation is needed. */
function keyOf(kind: SealedKind, { clientToken }: SealedFor): Buffer {
  return Buffer.from(hkdfSync('sha256', clientToken, '', kind, 32))
}
