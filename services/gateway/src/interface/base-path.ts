import type { IncomingMessage } from 'node:http'
import { isAddressWithin } from '@svc/access'
import type { Settings } from '@svc/config'

/** The path before the interface in a browser, with a slash at both ends. */
export type BasePathOf = (request: IncomingMessage) => string

/** Segments of letters and digits: nothing that a URL, a header or HTML would read otherwise. */
const prefixPattern = /^(?:\/[A-Za-z0-9_~-][A-Za-z0-9._~-]*)+\/?$/
const maxPrefix = 256

/**
 * The path that a proxy takes away before a request gets here: what a trusted one says in
 * `X-Forwarded-Prefix`, else that of `server.public_url`.
 */
export function basePathsBehind({
  publicUrl,
  trustedProxies,
}: Pick<Settings['server'], 'publicUrl' | 'trustedProxies'>): BasePathOf {
  const usual = basePathOf(publicUrl)
  return ({ headers, socket }) => {
    const sent = headers['x-forwarded-prefix']
    const isBelieved =
      typeof sent === 'string' &&
      isPrefix(sent) &&
      isAddressWithin(trustedProxies, socket.remoteAddress ?? '')
    return isBelieved ? withSlash(sent) : usual
  }
}

/** A path of this service as browsers see it: below the base path, if it is not so already. */
export function toOuterPath(path: string, basePath: string): string {
  return isBelow(path, basePath) ? path : basePath + path.slice(1)
}

/** A path as this service sees it, whatever a proxy takes away. */
export function toInnerPath(path: string, basePath: string): string {
  if (!isBelow(path, basePath)) return path
  const rest = path.slice(basePath.length - 1)
  return rest.startsWith('/') ? rest : `/${rest}`
}

function isBelow(path: string, basePath: string): boolean {
  const start = basePath.slice(0, -1)
  return path.startsWith(start) && /^(?:$|[/?#])/.test(path.slice(start.length))
}

/** @param publicUrl where browsers reach this service, when that is known */
function basePathOf(publicUrl: string | undefined): string {
  if (publicUrl === undefined) return '/'
  // Two slashes at the beginning would lead to another host.
  return withSlash(new URL(publicUrl).pathname).replace(/^\/\/+/, '/')
}

const isPrefix = (text: string): boolean =>
  text === '/' || (text.length <= maxPrefix && prefixPattern.test(text))

const withSlash = (path: string): string => (path.endsWith('/') ? path : `${path}/`)
