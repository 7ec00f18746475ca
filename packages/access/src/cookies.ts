/** The cookie that carries the client token of a browser. */
export const sessionCookie = 'svc_client_token'

/** Scope of cookies, from the settings of `authentication.session`. */
export interface CookieScope {
  /** Domain with all its hosts; only the host that set the cookie when left out. */
  readonly domain?: string | undefined
  /** Whether they are also sent over plain HTTP. */
  readonly insecure: boolean
}

/** A cookie for all paths that scripts cannot read. */
export interface Cookie extends CookieScope {
  readonly name: string
  readonly value: string
  readonly sameSite: 'Strict' | 'Lax'
  /** Lifetime in milliseconds; 0 removes a cookie with the same attributes. */
  readonly maxAgeMs: number
}

export function formatCookie(cookie: Cookie): string {
  const { name, value, domain, insecure, sameSite, maxAgeMs } = cookie
  return [
    `${name}=${value}`,
    'Path=/',
    ...(domain === undefined ? [] : [`Domain=${domain}`]),
    'HttpOnly',
    `SameSite=${sameSite}`,
    ...(insecure ? [] : ['Secure']),
    `Max-Age=${Math.floor(maxAgeMs / 1000)}`,
  ].join('; ')
}

/** @param maxAgeMs at most the lifetime of the token */
export function formatSessionCookie(scope: CookieScope, token: string, maxAgeMs: number): string {
  const { domain, insecure } = scope
  const name = sessionCookie
  return formatCookie({ name, value: token, domain, insecure, sameSite: 'Strict', maxAgeMs })
}

/** Removes the session cookie: browsers require the same attributes for that. */
export function clearSessionCookie(scope: CookieScope): string {
  return formatSessionCookie(scope, '', 0)
}
