import { invalidField } from '@svc/runtime'
import type { AccessRule } from './contract.ts'
import { invalidKey, isKey, keyPattern, maxKeyLength } from './fields.ts'
import { isObject } from './json.ts'

export const defaultNamespaceKey = 'default'

/**
 * The namespaces that a request is about, as the access rule of its operation says. What is found, the
 * default in place of nothing, is written back: the service sees the very values that were authorized.
 *
 * @returns none for operations that have no namespace
 * @throws {AppError} `invalid_argument` for what cannot be the key of a namespace
 */
export function resolveNamespaces({ scope }: AccessRule, request: object): readonly string[] {
  return scope.case === 'namespace' ? resolveIn(request, scope.field) : []
}

/** @param path the rest of the way to the field that names the namespace */
function resolveIn(value: unknown, [name = '', ...rest]: readonly string[]): readonly string[] {
  if (Array.isArray(value)) return value.flatMap((item) => resolveIn(item, [name, ...rest]))
  if (!isObject(value)) return []
  const inner = value[name]
  if (rest.length > 0) return resolveIn(inner, rest)
  if (typeof inner !== 'string') return []
  const namespaceKey = resolveNamespaceKey(inner, name)
  Reflect.set(value, name, namespaceKey)
  return [namespaceKey]
}

/** @throws {AppError} `invalid_argument` for what cannot be the key of a namespace */
export function resolveNamespaceKey(namespaceKey: string, field: string): string {
  if (namespaceKey === '') return defaultNamespaceKey
  if (isKey(namespaceKey)) return namespaceKey
  if (!keyPattern.test(namespaceKey)) throw invalidKey(field)
  throw invalidField(field, `must be at most ${maxKeyLength} characters`)
}
