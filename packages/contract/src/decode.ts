import { type DescMessage, fromJson, type Message } from '@bufbuild/protobuf'
import { invalidField } from '@svc/runtime'
import type { BoundOperation } from './contract.ts'
import { type JsonObject, wrongValues } from './json.ts'
import { defaultNamespaceKey, resolveNamespaceKey } from './namespaces.ts'
import { toProtoJson } from './proto-json.ts'
import { type QueryValues, readQuery } from './query.ts'

/** What a request brings besides its body. */
export interface UrlValues {
  readonly params: Readonly<Record<string, string>>
  readonly query: QueryValues
}

/**
 * @param body left aside by operations that take none
 * @throws {AppError} `invalid_argument` for whatever does not fit the request message
 */
export function decodeRequest(bound: BoundOperation, url: UrlValues, body: JsonObject): Message {
  const { operation, binding } = bound
  const sent = binding.hasBody
    ? body
    : readQuery(operation.input, url.query, binding.template.fields)
  return decodeMessage(operation.input, withPath(bound, url, sent))
}

/** @throws {AppError} `invalid_argument` for what does not fit the message */
export function decodeMessage(message: DescMessage, sent: JsonObject): Message {
  const json = toProtoJson(message, sent)
  try {
    return fromJson(message, json)
  } catch {
    throw wrongValues('a field has a value of the wrong type')
  }
}

/**
 * Puts the fields that are in the path over those that were sent.
 *
 * @throws {AppError} `invalid_argument` when the request names two namespaces, or what is in the
 *   place of one in the path cannot be its key
 */
export function withPath(bound: BoundOperation, url: UrlValues, sent: JsonObject): JsonObject {
  const { fields } = bound.binding.template
  if (fields.length === 0 && Object.keys(url.query).length === 0) return sent
  checkNamespace(bound, url, sent)
  if (fields.length === 0) return sent
  const result: Record<string, unknown> = { ...sent }
  for (const name of fields) result[name] = url.params[name] ?? ''
  return result
}

/**
 * What was authorized is one namespace, so that is what a request may name: wherever it names one
 * besides where it is read from, it has to be the same.
 */
function checkNamespace(
  { operation, binding }: BoundOperation,
  url: UrlValues,
  sent: JsonObject,
): void {
  const { scope } = operation.access
  if (scope.case !== 'namespace' || scope.field.length > 1) return
  const field = operation.input.fields.find(({ jsonName }) => jsonName === scope.field[0])
  if (field === undefined) return
  const { jsonName, name } = field
  const isInPath = binding.template.fields.includes(jsonName)
  const fromPath = isInPath && resolveNamespaceKey(url.params[jsonName] ?? '', jsonName)
  const effective = fromPath || (sent[jsonName] ?? sent[name]) || defaultNamespaceKey
  const others = [url.query[jsonName], url.query[name], isInPath && [sent[jsonName], sent[name]]]
  for (const other of others.flat()) {
    if (other && other !== effective) {
      throw invalidField(jsonName, 'differs from the namespace that the request is for')
    }
  }
}
