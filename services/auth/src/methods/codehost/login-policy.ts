import type { LoginPolicy } from '../../credentials/lookup/method-hooks.ts'
import type { CodehostSettings } from './settings.ts'

/**
 * Allows logins at the code host of the settings. Those at one that the settings named before are refused, so
 * that their access tokens are not sent to this one.
 */
export function codehostPolicy({ serverUrl }: Pick<CodehostSettings, 'serverUrl'>): LoginPolicy {
  const host = spell(serverUrl)
  return ({ issuer }) => spell(issuer) === host
}

/** The one spelling of a URL: records have that of the settings at the time of their login. */
function spell(url: string): string {
  return URL.canParse(url) ? new URL(url).href.replace(/\/$/, '') : url
}
