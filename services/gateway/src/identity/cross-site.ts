import type { IncomingHttpHeaders, IncomingMessage } from 'node:http'
import type { Settings } from '@svc/config'
import { AppError } from '@svc/runtime'
import { rawHeaderValues } from '../http/raw-headers.ts'

const safeVerbs: ReadonlySet<string | undefined> = new Set(['GET', 'HEAD', 'OPTIONS'])

/** Which pages may change things with the cookie of a login. */
export interface OwnOrigins {
  /** Where browsers reach this service, when that is known. */
  readonly own: string | undefined
  /** Those of other sites that may, too. */
  readonly trusted: readonly string[]
}

export function originsOf({ server, authentication }: Settings): OwnOrigins {
  const own = server.publicUrl === undefined ? undefined : new URL(server.publicUrl).origin
  return { own, trusted: authentication.session.csrf.trustedOrigins }
}

/**
 * Prevents CSRF: browsers send our cookie with requests of foreign pages, too. A page cannot forge where it
 * is from (`Sec-Fetch-Site`, `Origin`), nor send JSON to another site without leave. `Host` proves nothing.
 *
 * @throws {AppError} `permission_denied`, which says what it misses
 */
export function refuseCrossSite(request: IncomingMessage, { own, trusted }: OwnOrigins): void {
  const { method, headers } = request
  if (safeVerbs.has(method)) return
  const { origin, 'sec-fetch-site': site } = headers
  const isTrusted = origin !== undefined && trusted.includes(origin)
  if (!isTrusted && !isOurs(headers, own)) {
    const message =
      'pages of another site may not use the login of a browser; server.public_url and ' +
      'authentication.session.csrf.trusted_origins say which may'
    throw new AppError('permission_denied', 'cross_site', message)
  }
  const needsType = hasBody(request) || (site === undefined && origin === undefined)
  if (needsType && !isJson(request)) {
    const message = 'with the login of a browser, the Content-Type has to be application/json'
    throw new AppError('permission_denied', 'not_json', message)
  }
}

function isOurs({ 'sec-fetch-site': site, origin }: IncomingHttpHeaders, own?: string): boolean {
  if (site !== undefined) return site === 'same-origin' || site === 'none'
  return origin === undefined || origin === own
}

function hasBody({ headers }: IncomingMessage): boolean {
  return headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0
}

/** As it was sent, for by now the parsed one says the same of every body. */
function isJson({ rawHeaders }: IncomingMessage): boolean {
  const [type = '', ...others] = rawHeaderValues(rawHeaders, 'content-type')
  return others.length === 0 && /^application\/json[ \t]*(;|$)/i.test(type)
}
