import type { Identity } from '@svc/proto/auth/v1/identities'
import { AppError, type Logger, type Running, startAll } from '@svc/runtime'
import { readCompact } from './compact.ts'
import { toIdentity } from './identity.ts'
import { createIssuer, type JwtIssuer } from './issuer.ts'
import { openKeys } from './keys.ts'
import { refused } from './refusals.ts'
import type { JwtSettings } from './settings.ts'

/** Accepts tokens that others have signed. Nothing of them is kept. */
export interface JwtMethod extends Running {
  /**
   * @param nowMs the time, in milliseconds since 1970
   * @throws {AppError} `unauthenticated`, by its reason why, for the log; `unavailable` when the
   *   keys that it would take cannot be fetched
   */
  authenticate(jwt: string, nowMs: number): Promise<Identity>
}

/** @throws {SettingsError} when a key file holds no key that is of use */
export function startJwt({ issuers: sections }: JwtSettings, log: Logger): Promise<JwtMethod> {
  return startAll(async (track) => {
    const issuers = Object.entries(sections).map(([name, settings]) => {
      const keys = openKeys(`authentication.methods.jwt.issuers.${name}`, settings, log)
      track(keys)
      return createIssuer(settings, keys)
    })
    return {
      async authenticate(jwt: string, nowMs: number): Promise<Identity> {
        const read = readCompact(jwt)
        let refusal = refused('wrong_issuer')
        for (const issuer of candidates(issuers, read.claims.get('iss'))) {
          try {
            return toIdentity(jwt, await issuer.verify(jwt, read, nowMs), issuer.settings, nowMs)
          } catch (error) {
            if (!(error instanceof AppError)) throw error
            // As long as one of them cannot tell, nobody can.
            if (refusal.code !== 'unavailable') refusal = error
          }
        }
        throw refusal
      },
    }
  })
}

/** Those of that name; where there are none, those who may have any. */
function candidates(issuers: readonly JwtIssuer[], iss: unknown): JwtIssuer[] {
  const named = issuers.filter(({ settings }) => settings.issuer === iss)
  if (named.length > 0) return named
  return issuers.filter(({ settings }) => settings.issuer === undefined && settings.allowAnyIssuer)
}
