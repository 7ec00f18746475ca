import { invalidField } from '@svc/runtime'
import { formatPageToken } from './page-token.ts'

const defaultLimit = 25
const maxLimit = 100

/**
 * Maximum items of a page.
 *
 * @throws {AppError} `invalid_argument`
 */
export function pageSize(limit: number): number {
  if (limit < 0) throw invalidField('limit', 'must be greater than or equal to 0')
  return Math.min(limit || defaultLimit, maxLimit)
}

/** @param found up to one more than the page has: the one more means that there is a next page */
export function toPage<T extends { readonly position: number }>(found: readonly T[], size: number) {
  const items = found.slice(0, size)
  const last = found.length > size ? items.at(-1) : undefined
  return { items, nextPageToken: last === undefined ? '' : formatPageToken(last.position) }
}
