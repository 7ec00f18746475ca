import { invalidField } from '@svc/runtime'

/** The largest that the interface has. */
const lastRank = 2 ** 31 - 1

/** @throws {AppError} for a rank that is none; 0 asks for the last place */
export function checkRank(rank: number): void {
  if (rank < 0) throw invalidField('rank', 'must not be negative')
}

/**
 * The rank of what comes last. True until the transaction ends, for the namespace is held.
 *
 * @param highest the highest rank that the flag has given; left out, it has none
 */
export function rankAfter(highest = 0): number {
  return Math.min(highest + 1, lastRank)
}

/** @throws {AppError} unless there is something to order */
export function checkOrder(field: string, ids: readonly string[]): void {
  if (ids.length < 2) throw invalidField(field, 'must contain atleast 2 elements')
}

/** @throws {AppError} unless `ids` are those that the flag has, each once */
export function checkSameSet(
  field: string,
  ids: readonly string[],
  existing: readonly string[],
): void {
  const given = new Set(ids)
  const isSame = given.size === ids.length && given.size === existing.length
  if (isSame && existing.every((id) => given.has(id))) return
  throw invalidField(field, 'must contain all ids of the flag, each of them once')
}
