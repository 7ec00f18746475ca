import { sessionCookie } from '@svc/access'
import type { Trailers } from '@svc/rpc'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { prefersHtml } from '../http/accept.ts'
import { clientAddress } from '../http/client-address.ts'
import { readCookies } from './cookies.ts'
import { readCredential } from './credential.ts'

/** How the names of the cookies begin in which a login that is under way is kept. */
const flowCookie = /^(__Host-)?svc_flow_/

/** What a cookie may have in it (RFC 6265 section 4.1.1), and metadata then, too. */
const cookieText = /^[\x21\x23-\x2b\x2d-\x3a\x3c-\x5b\x5d-\x7e]*$/

/**
 * What auth is told of a request besides its message: this, and no header as it came.
 *
 * @param isLogin whether the method is one that anybody may call, to become somebody
 * @throws {AppError} as `readCredential` and `readCookies` do
 */
export function metadataForAuth(
  request: FastifyRequest,
  { isLogin, acceptsJwt }: { readonly isLogin: boolean; readonly acceptsJwt: boolean },
): Record<string, string> {
  const { rawHeaders } = request.raw
  const address = clientAddress(request)
  return {
    ...(address === '' ? {} : { 'svc-client-address': address }),
    ...(prefersHtml(request.headers.accept) ? { 'svc-accepts': 'html' } : {}),
    ...(isLogin ? loginCookies(rawHeaders) : credential(rawHeaders, acceptsJwt)),
  }
}

/** Passes on what auth has to say to a browser: cookies to set, and where to go. */
export function carryBack(trailers: Trailers, reply: FastifyReply): void {
  const cookies = trailers('svc-set-cookie')
  if (cookies.length > 0) reply.header('set-cookie', [...cookies])
  const [location] = trailers('svc-location')
  if (location !== undefined) reply.code(302).header('location', location)
}

function credential(rawHeaders: readonly string[], acceptsJwt: boolean): Record<string, string> {
  const presented = readCredential(rawHeaders, acceptsJwt)
  if (presented === undefined) return {}
  return { authorization: `Bearer ${presented.token}`, 'svc-credential': presented.carrier }
}

/** The login under way, and the one before it, which is to end with it. */
function loginCookies(rawHeaders: readonly string[]): Record<string, string> {
  const cookies = readCookies(rawHeaders).filter(({ value }) => cookieText.test(value))
  const flows = cookies.filter(({ name }) => flowCookie.test(name) && cookieText.test(name))
  const [session, ...others] = cookies.filter(({ name }) => name === sessionCookie)
  return {
    ...(flows.length === 0
      ? {}
      : { 'svc-cookies': flows.map(({ name, value }) => `${name}=${value}`).join('; ') }),
    // Of several, nobody knows which is ours.
    ...(session === undefined || others.length > 0 ? {} : { 'svc-session': session.value }),
  }
}
