import { isJwtShaped } from '@svc/access'
import { Method } from '@svc/proto/auth/v1/authentications'
import type { Identity } from '@svc/proto/auth/v1/identities'
import { AppError, startAll } from '@svc/runtime'
import { algorithms } from '../algorithms.ts'
import type { AuthMethod } from '../method.ts'
import { readCompact, refused } from './compact.ts'
import { toIdentity } from './identity.ts'
import { type JwtIssuer, verifyJwt } from './issuer.ts'
import { openKeys } from './keys.ts'
import { type JwtSettings, jwtSection } from './settings.ts'

/** JWTs that configured issuers have signed. No record of them is kept. */
export const jwtMethod: AuthMethod<'jwt', JwtSettings> = {
  id: Method.METHOD_JWT,
  section: 'jwt',
  settings: jwtSection,
  isInteractive: false,

  /** @throws {SettingsError} when a key file holds no usable key */
  open: (settings, { nowMs, log }) =>
    startAll(async (track) => {
      const issuers = Object.entries(settings.issuers).map(([name, issuer]) => {
        const accepted = issuer.algorithms.map((algorithm) => algorithms[algorithm])
        const section = `authentication.methods.jwt.issuers.${name}`
        const keys = openKeys(section, issuer, accepted, log)
        track(keys)
        return { settings: issuer, accepted, keys }
      })
      return {
        verify: (credential: string) =>
          isJwtShaped(credential) ? verifyWithAny(issuers, credential, nowMs()) : undefined,
      }
    }),
}

async function verifyWithAny(
  issuers: readonly JwtIssuer[],
  jwt: string,
  nowMs: number,
): Promise<Identity> {
  const read = readCompact(jwt)
  let refusal = refused('wrong_issuer')
  for (const issuer of candidates(issuers, read.claims.get('iss'))) {
    try {
      return toIdentity(jwt, await verifyJwt(issuer, jwt, read, nowMs), issuer.settings, nowMs)
    } catch (error) {
      if (!(error instanceof AppError)) throw error
      // An issuer whose keys are unavailable might accept it, so the outcome is unknown.
      if (refusal.code !== 'unavailable') refusal = error
    }
  }
  throw refusal
}

/** The issuers of that name; without any, those that accept every `iss`. */
function candidates(issuers: readonly JwtIssuer[], iss: unknown): JwtIssuer[] {
  const named = issuers.filter(({ settings }) => settings.issuer === iss)
  if (named.length > 0) return named
  return issuers.filter(({ settings }) => settings.issuer === undefined && settings.allowAnyIssuer)
}
