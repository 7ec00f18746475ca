import { isJwtShaped, sessionCookie } from '@svc/access'
import { invalidArgument } from '@svc/runtime'
import { rawHeaderValues } from '../http/raw-headers.ts'
import { refusedCookie, severalCookies, unauthenticated } from './errors.ts'

/** Far more than we and what else is on a site set; browsers keep about 180 a site. */
const maxCookies = 50
const maxCookieBytes = 8192

export interface Cookie {
  readonly name: string
  readonly value: string
}

/**
 * The cookies of a request, as they were sent: a quoted value keeps its quotes.
 *
 * @throws {AppError} `invalid_argument` when there are too many
 */
export function readCookies(rawHeaders: readonly string[]): readonly Cookie[] {
  const headers = rawHeaderValues(rawHeaders, 'cookie')
  const bytes = headers.reduce((sum, header) => sum + header.length, 0)
  const pairs = headers.flatMap((header) => header.split(';', maxCookies + 1))
  if (bytes > maxCookieBytes || pairs.length > maxCookies) throw invalidArgument('too many cookies')
  return pairs.map(toCookie).filter(({ name }) => name !== '')
}

/**
 * @throws {AppError} `unauthenticated` for several, of which another subdomain may have set one, and for
 *   one that we cannot have set
 */
export function readSessionCookie(rawHeaders: readonly string[]): string | undefined {
  const [token, ...others] = readCookies(rawHeaders)
    .filter(({ name }) => name === sessionCookie)
    .map(({ value }) => value)
  if (token === undefined) return undefined
  if (others.length > 0) throw unauthenticated(severalCookies)
  if (!tokenPattern.test(token) || isJwtShaped(token)) throw unauthenticated(refusedCookie)
  return token
}

/** Token68 of RFC 9110 section 11.2, which every client token is. */
const tokenPattern = /^[A-Za-z0-9._~+/-]{1,4096}={0,2}$/

/** RFC 6265 section 5.4: what comes before the first `=` is the name. Without one there is none. */
function toCookie(pair: string): Cookie {
  const trimmed = trimBlanks(pair)
  const end = trimmed.indexOf('=')
  return { name: trimmed.slice(0, Math.max(end, 0)), value: trimmed.slice(end + 1) }
}

/** Trims spaces and tabs. Linear: `/[ \t]+$/` begins anew at every space, and so takes quadratic time. */
function trimBlanks(text: string): string {
  let end = text.length
  while (end > 0 && ' \t'.includes(text.charAt(end - 1))) end--
  return text.slice(0, end).replace(/^[ \t]+/, '')
}
