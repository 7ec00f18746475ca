import { isJwtShaped } from '@svc/access'
import { Method } from '@svc/proto/auth/v1/authentications'
import type { Identity } from '@svc/proto/auth/v1/identities'
import { AppError, type Logger, type Running, startAll } from '@svc/runtime'
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
  async open(settings, { nowMs, log }) {
    const { verify, close } = await startJwt(settings, log)
    return {
      verify: (credential) => (isJwtShaped(credential) ? verify(credential, nowMs()) : undefined),
      close,
    }
  },
}

export interface JwtVerifier extends Running {
  /**
   * @param nowMs the time, in milliseconds since 1970
   * @throws {AppError} `unauthenticated`, whose reason is for the log; `unavailable` when the keys of
   *   the issuer cannot be fetched
   */
  verify(jwt: string, nowMs: number): Promise<Identity>
}

/** @throws {SettingsError} when a key file holds no usable key */
export function startJwt({ issuers: sections }: JwtSettings, log: Logger): Promise<JwtVerifier> {
  return startAll(async (track) => {
    const issuers = Object.entries(sections).map(([name, settings]) => {
      const accepted = settings.algorithms.map((name) => algorithms[name])
      const section = `authentication.methods.jwt.issuers.${name}`
      const keys = openKeys(section, settings, accepted, log)
      track(keys)
      return { settings, accepted, keys }
    })
    return { verify: (jwt: string, nowMs: number) => verifyWithAny(issuers, jwt, nowMs) }
  })
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
