import type { Logger } from '@svc/runtime'
import { RE2JS } from 're2js'
import type { LoginPolicy } from '../../credentials/lookup/method-hooks.ts'
import type { OidcSettings } from './settings.ts'

/**
 * Allows logins whose provider is still configured, with the same issuer to the letter, as for tokens, and
 * whose e-mail address matches a pattern, if there are any. Checked on each request, so that changed patterns
 * also apply to present sessions.
 */
export function oidcPolicy({ emailMatches, providers }: OidcSettings): LoginPolicy {
  const patterns = emailMatches.map((pattern) => RE2JS.compile(pattern))
  const known = new Map(Object.entries(providers))
  return ({ metadata, issuer }) => {
    const provider = known.get(metadata['io.svc.auth.oidc.provider'] ?? '')
    // The name may have been given to another issuer since.
    if (provider?.issuerUrl !== issuer) return false
    if (patterns.length === 0) return true
    const email = metadata['io.svc.auth.oidc.email']
    const isVerified = metadata['io.svc.auth.oidc.email_verified'] === 'true'
    if (email === undefined || !(isVerified || provider.trustUnverifiedEmail)) return false
    // The whole address: a pattern without ends would match inside another one.
    return patterns.some((pattern) => pattern.matcher(email).matches())
  }
}

/** Logs patterns that match more than they seem to. */
export function warnOfPatterns({ emailMatches }: OidcSettings, log: Logger): void {
  for (const pattern of emailMatches) {
    const at = pattern.indexOf('@')
    const domain = at === -1 ? '' : pattern.slice(at + 1)
    if (/(^|[^\\[])\.(?![*+?{])/.test(domain)) {
      log.warn({ pattern }, 'a dot in email_matches stands for any character; write \\. for a dot')
    }
  }
}
