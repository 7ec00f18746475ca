import { sessionCookie } from '@svc/access'
import type { Trailers } from '@svc/rpc'
import { prefersHtml } from '../http/accept.ts'
import type { Exchange } from '../http/exchange.ts'
import { type BasePathOf, toOuterPath } from '../interface/base-path.ts'
import { readCookies } from './cookies.ts'
import { type CredentialSource, readCredential } from './credential.ts'

/** Names of the cookies that keep a pending login. */
const flowCookie = /^(__Host-)?svc_flow_/

/** What a cookie may have in it (RFC 6265 section 4.1.1), and metadata then, too. */
const cookieText = /^[\x21\x23-\x2b\x2d-\x3a\x3c-\x5b\x5d-\x7e]*$/

/**
 * The metadata of a call to auth: what it learns of a request besides its message. No header is copied.
 *
 * @param isLogin whether the operation is public: a login needs cookies and no credential
 * @throws {AppError} as `readCredential` and `readCookies` do
 */
export function metadataForAuth(
  { request, address }: Exchange,
  { isLogin, acceptsJwt }: { readonly isLogin: boolean; readonly acceptsJwt: boolean },
): Record<string, string> {
  const { raw, id } = request
  return {
    ...(address === '' ? {} : { 'svc-client-address': address }),
    ...(prefersHtml(raw.headers.accept) ? { 'svc-accepts': 'html' } : {}),
    ...(isLogin
      ? { 'svc-request-id': id, ...loginCookies(raw.rawHeaders) }
      : credential(raw, acceptsJwt)),
  }
}

/** Puts what auth has for the browser into the head of the answer: cookies, and a redirect. */
export function applyResponseMetadata(
  trailers: Trailers,
  exchange: Exchange,
  basePathOf: BasePathOf,
): void {
  for (const cookie of trailers('svc-set-cookie')) exchange.setHeader('set-cookie', cookie)
  exchange.returnTo = trailers('svc-return-to')[0]
  const [location] = trailers('svc-location')
  if (location === undefined) return
  exchange.status = 302
  const isOurs = location.startsWith('/')
  const basePath = basePathOf(exchange.request.raw)
  exchange.setHeader('location', isOurs ? toOuterPath(location, basePath) : location)
}

function credential(request: CredentialSource, acceptsJwt: boolean): Record<string, string> {
  const presented = readCredential(request, acceptsJwt)
  if (presented === undefined) return {}
  return { authorization: `Bearer ${presented.token}`, 'svc-credential': presented.carrier }
}

/** The pending login, and the session before it, which is to end with it. */
function loginCookies(rawHeaders: readonly string[]): Record<string, string> {
  const cookies = readCookies(rawHeaders).filter(({ value }) => cookieText.test(value))
  const flows = cookies.filter(({ name }) => flowCookie.test(name) && cookieText.test(name))
  const [session, ...others] = cookies.filter(({ name }) => name === sessionCookie)
  return {
    ...(flows.length === 0
      ? {}
      : { 'svc-cookies': flows.map(({ name, value }) => `${name}=${value}`).join('; ') }),
    // Of several, one may be of another subdomain.
    ...(session === undefined || others.length > 0 ? {} : { 'svc-session': session.value }),
  }
}
