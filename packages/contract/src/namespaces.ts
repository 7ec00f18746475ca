import type { Message } from '@bufbuild/protobuf'
import {
  isReflectList,
  isReflectMessage,
  type ReflectMessage,
  reflect,
} from '@bufbuild/protobuf/reflect'
import { invalidField } from '@svc/runtime'
import type { Method } from './contract.ts'
import { invalidKey, keyPattern, maxKeyLength } from './fields.ts'

export const defaultNamespaceKey = 'default'

/**
 * The namespaces that a request is about, as its access annotation says. What is found, the default
 * in place of nothing, is written back: the service sees the very values that were authorized.
 *
 * @returns none for methods that have no namespace
 * @throws {AppError} `invalid_argument` for what cannot be the key of a namespace
 */
export function resolveNamespaces({ access, input }: Method, message: Message): readonly string[] {
  if (access.scope.case !== 'namespace') return []
  return resolveIn(reflect(input, message), access.scope.field)
}

/** The rest of the way to the field that names the namespace, and of the work. */
function resolveIn(message: ReflectMessage, [name, ...rest]: readonly string[]): string[] {
  const field = message.fields.find(({ jsonName }) => jsonName === name)
  if (field === undefined) return []
  const value: unknown = message.get(field)
  if (isReflectList(value)) {
    return Array.from(value).flatMap((item) =>
      isReflectMessage(item) ? resolveIn(item, rest) : [],
    )
  }
  const namespaceKey = resolveNamespaceKey(String(value), field.jsonName)
  message.set(field, namespaceKey)
  return [namespaceKey]
}

/** @throws {AppError} `invalid_argument` for what cannot be the key of a namespace */
export function resolveNamespaceKey(namespaceKey: string, field: string): string {
  if (namespaceKey === '') return defaultNamespaceKey
  if (!keyPattern.test(namespaceKey)) throw invalidKey(field)
  if (namespaceKey.length > maxKeyLength) {
    throw invalidField(field, `must be at most ${maxKeyLength} characters`)
  }
  return namespaceKey
}
