import { hkdfSync } from 'node:crypto'
import { open, seal } from '../logins/seal.ts'

// An access token is kept only in a form that the service itself cannot read: the key is made of
// the client token, which the browser alone has. docs/decisions/0011 has the reasons.

export interface SealedFor {
  /** Whose login it is. What is sealed for one login cannot be opened for another. */
  readonly authenticationId: string
  readonly clientToken: string
}

export function sealAccessToken(accessToken: string, login: SealedFor): string {
  return seal(keyOf(login), login.authenticationId, accessToken)
}

/** @returns `undefined` when it was not sealed for this login and this client token */
export function openAccessToken(sealed: string, login: SealedFor): string | undefined {
  return open([keyOf(login)], login.authenticationId, sealed)
}

/** A client token has 256 random bits, so that nothing slower is needed to make a key of it. */
function keyOf({ clientToken }: SealedFor): Buffer {
  return Buffer.from(hkdfSync('sha256', clientToken, '', 'svc code host access token', 32))
}
