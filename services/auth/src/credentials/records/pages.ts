import { invalidField } from '@svc/runtime'
import { formatPageToken } from './page-token.ts'

const defaultLimit = 25
const maxLimit = 100

/**
 * How many a page has at most.
 *
 * @throws {AppError} `invalid_argument`
 */
export function pageSize(limit: number): number {
  if (limit < 0) throw invalidField('limit', 'must be greater than or equal to 0')
  return Math.min(limit || defaultLimit, maxLimit)
}

/** @param found one more than the page has, if there are that many: that tells of a next page */
export function toPage<T extends { readonly position: number }>(found: readonly T[], size: number) {
  const items = found.slice(0, size)
  const last = found.length > size ? items.at(-1) : undefined
  return { items, nextPageToken: last === undefined ? '' : formatPageToken(last.position) }
}
