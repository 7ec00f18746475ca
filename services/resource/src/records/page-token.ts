import { invalidArgument } from '@svc/runtime'
import { isPlace, type Order, type Place } from './order.ts'

/** Of a list: what its page tokens have to fit. */
export interface TokenScope {
  /** Names sort and filter; empty for a list that has neither. */
  readonly queryName: string
  readonly order: Order
}

/** What list-query.ts names queries. */
const queryNames = /^[-A-Za-z]*:[-\w]{11}$/

/** The token of the page after a place. */
export function toToken({ queryName }: Pick<TokenScope, 'queryName'>, place: Place): string {
  // Lists without sort or filter have the tokens that they had before there were any.
  const content = queryName === '' ? place : [queryName, ...place]
  return Buffer.from(JSON.stringify(content)).toString('base64url')
}

/**
 * @returns the place after which the page begins
 * @throws {AppError} unless it is the token of a list of this kind, with this sort and filter
 */
export function readToken(token: string, { queryName, order }: TokenScope): Place {
  const content = parseList(Buffer.from(token, 'base64url').toString()) ?? []
  const [first] = content
  const isNamed = typeof first === 'string' && queryNames.test(first)
  const isOfAnother = isNamed
    ? first !== queryName
    : queryName !== '' && content.length > 0 && content.every(Number.isSafeInteger)
  if (isOfAnother) {
    throw invalidArgument('pageToken is of a list with another filter or sort: repeat those')
  }
  const place = isNamed ? content.slice(1) : content
  if (isPlace(order, place) && toToken({ queryName }, place) === token) return place
  // The answer quotes the token, which may be as long as a request.
  const quoted = token.length > 255 ? `${token.slice(0, 255)}…` : token
  throw invalidArgument(`pageToken is not valid: "${quoted}"`)
}

function parseList(text: string): readonly unknown[] | undefined {
  try {
    const content: unknown = JSON.parse(text)
    return Array.isArray(content) ? content : undefined
  } catch {
    return undefined
  }
}
