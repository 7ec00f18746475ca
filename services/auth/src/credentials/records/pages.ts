import { invalidField } from '@svc/runtime'

const defaultLimit = 25
const maxLimit = 100

export interface PageRequest {
  /** Maximum items; 0 for the default. */
  readonly limit: number
  readonly pageToken: string
}

/** A part of a list in the order of creation. */
export interface Range {
  /** Only those after this position. */
  readonly after: number
  readonly limit: number
}

/**
 * Reads a page of a list.
 *
 * @throws {AppError} `invalid_argument`
 */
export async function readPage<T extends { readonly position: number }>(
  { limit, pageToken }: PageRequest,
  read: (range: Range) => Promise<readonly T[]>,
): Promise<{ readonly items: readonly T[]; readonly nextPageToken: string }> {
  if (limit < 0) throw invalidField('limit', 'must be greater than or equal to 0')
  const size = Math.min(limit || defaultLimit, maxLimit)
  // One more than the page has means that there is a next page.
  const found = await read({ after: parsePageToken(pageToken), limit: size + 1 })
  const items = found.slice(0, size)
  const last = found.length > size ? items.at(-1) : undefined
  return { items, nextPageToken: last === undefined ? '' : formatPageToken(last.position) }
}

/** The position after which the next page begins. Opaque to callers. */
export function formatPageToken(position: number): string {
  return Buffer.from(`after ${position}`).toString('base64url')
}

/** A foreign text means the first page, as clients of this interface expect. */
export function parsePageToken(pageToken: string): number {
  const text = Buffer.from(pageToken, 'base64url').toString()
  const position = Number(/^after (\d+)$/.exec(text)?.[1] ?? 0)
  return Number.isSafeInteger(position) ? position : 0
}
