import { Method } from '@svc/proto/auth/v1/authentications'
import type { Logger } from '@svc/runtime'
import { RE2JS } from 're2js'
import type { Admits } from '../../credentials/lookup/authenticate.ts'
import type { OidcSettings } from './settings.ts'

/**
 * Who may, of those who logged in at a provider: whose provider is still known, and whose e-mail
 * address matches, if there are patterns for it. Looked at with each request and not at the login,
 * so that other patterns hold for those as well who are in.
 */
export function oidcAdmission({ emailMatches, enabled, providers }: OidcSettings): Admits {
  const patterns = emailMatches.map((pattern) => RE2JS.compile(pattern))
  const known = new Map(Object.entries(providers))
  return ({ method, metadata }) => {
    if (method !== Method.METHOD_OIDC) return true
    const provider = known.get(metadata['io.svc.auth.oidc.provider'] ?? '')
    if (!enabled || provider === undefined) return false
    if (patterns.length === 0) return true
    const email = metadata['io.svc.auth.oidc.email']
    const isVerified = metadata['io.svc.auth.oidc.email_verified'] === 'true'
    if (email === undefined || !(isVerified || provider.trustUnverifiedEmail)) return false
    // The whole address: a pattern without ends would match inside another one.
    return patterns.some((pattern) => pattern.matcher(email).matches())
  }
}

/** Patterns that match more than they seem to. */
export function warnOfPatterns({ emailMatches, enabled }: OidcSettings, log: Logger): void {
  if (!enabled) return
  for (const pattern of emailMatches) {
    const at = pattern.indexOf('@')
    const domain = at === -1 ? '' : pattern.slice(at + 1)
    if (/(^|[^\\[])\.(?![*+?{])/.test(domain)) {
      log.warn({ pattern }, 'a dot in email_matches stands for any character; write \\. for a dot')
    }
  }
}
