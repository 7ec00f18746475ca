import { prefersHtml } from '../http/accept.ts'
import type { Exchange } from '../http/exchange.ts'
import { type BasePathOf, toInnerPath } from './base-path.ts'

/** Why a login has failed, as far as the page says it. The log of the auth service says the rest. */
type Failure = 'declined' | 'refused' | 'busy' | 'unavailable' | 'failed'

/** Longer ones travel in no cookie of a login, either. */
const maxReturnTo = 512

/**
 * Where browsers are sent when a login has failed: to the page where it began, which says so.
 *
 * @param routes those at which logins begin and end
 * @returns nothing for what is no such request, and for clients that read the error itself
 */
export function failedLoginPages(
  routes: ReadonlySet<string>,
  basePathOf: BasePathOf,
): (exchange: Exchange) => string | undefined {
  return (exchange) => {
    const { raw, route, id, query } = exchange.request
    if (!routes.has(route) || !prefersHtml(raw.headers.accept)) return undefined
    const basePath = basePathOf(raw)
    const search = new URLSearchParams({ error: failureOf(exchange), request: id })
    // Auth says it once it knows the login. Where one begins, it is what the page has asked for.
    const returnTo = exchange.returnTo ?? query.state
    if (isLocalPath(returnTo)) search.set('back', toInnerPath(returnTo, basePath))
    return `${basePath}login?${search}`
  }
}

function failureOf({ status, request: { query } }: Exchange): Failure {
  if (status === 401 && query.error === 'access_denied') return 'declined'
  if (status === 401 || status === 403) return 'refused'
  if (status === 429) return 'busy'
  return status === 503 || status === 504 ? 'unavailable' : 'failed'
}

/** `state` is a path where a login begins; where it ends, it is a random text. */
function isLocalPath(text: unknown): text is string {
  return (
    typeof text === 'string' &&
    text.length <= maxReturnTo &&
    /^\/(?![/\\])[\x21-\x5b\x5d-\x7e]*$/.test(text)
  )
}
