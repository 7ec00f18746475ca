/** The cookie that carries the client token of a browser. */
export const sessionCookie = 'svc_client_token'

/** Where cookies go; `authentication.session` says so. */
export interface CookieScope {
  /** The hosts below which one; only the host that set it when left out. */
  readonly domain?: string | undefined
  /** Whether they go over plain http as well. */
  readonly insecure: boolean
}

/** Cookies that scripts cannot read and that go with every path; the text of a `Set-Cookie`. */
export interface Cookie extends CookieScope {
  readonly name: string
  readonly value: string
  readonly sameSite: 'Strict' | 'Lax'
  /** How long the browser keeps it; 0 removes it, when all else is the same. */
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

/** @param maxAgeMs no longer than the token is good for */
export function formatSessionCookie(scope: CookieScope, token: string, maxAgeMs: number): string {
  const { domain, insecure } = scope
  const name = sessionCookie
  return formatCookie({ name, value: token, domain, insecure, sameSite: 'Strict', maxAgeMs })
}

/** Removes it: browsers want the same attributes again for that. */
export function clearSessionCookie(scope: CookieScope): string {
  return formatSessionCookie(scope, '', 0)
}
