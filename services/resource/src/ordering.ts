import { invalidField } from '@svc/runtime'

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
