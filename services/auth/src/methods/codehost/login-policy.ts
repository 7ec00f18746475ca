import type { LoginPolicy } from '../../credentials/lookup/method-hooks.ts'
import type { CodehostSettings } from './settings.ts'

/** In the metadata of a login whose access token is kept: where that was used. */
export const apiUrlKey = 'io.svc.auth.codehost.api_url'

/**
 * Allows logins at the code host of the settings. Those at one that the settings named before, or at another address of
 * its API, are refused, so that their access tokens are not sent to this one.
 */
export function codehostPolicy(
  settings: Pick<CodehostSettings, 'serverUrl' | 'apiUrl'>,
): LoginPolicy {
  const host = spell(settings.serverUrl)
  const api = spell(settings.apiUrl)
  return ({ issuer, metadata }) =>
    spell(issuer) === host && spell(metadata[apiUrlKey] ?? settings.apiUrl) === api
}

/** The one spelling of a URL: records have that of the settings at the time of their login. */
function spell(url: string): string {
  return URL.canParse(url) ? new URL(url).href.replace(/\/$/, '') : url
}
