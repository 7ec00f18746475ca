import { invalidField } from '@svc/runtime'

/** The largest that the interface has. */
const lastRank = 2 ** 31 - 1

/**
 * The rank of what comes last. True until the transaction ends, for the namespace is held.
 *
 * @param highest the highest rank that the flag has given; left out, it has none
 */
export function rankAfter(highest = 0): number {
  return Math.min(highest + 1, lastRank)
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
