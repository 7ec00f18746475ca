import { openForLogin, type SealedFor, sealForLogin } from '../login/sealed-for-login.ts'

const kind = 'svc code host access token'

export function sealAccessToken(accessToken: string, login: SealedFor): string {
  return sealForLogin(kind, accessToken, login)
}

/** @returns `undefined` when it was not sealed for this login and this client token */
export function openAccessToken(sealed: string, login: SealedFor): string | undefined {
  return openForLogin(kind, sealed, login)
}
