import { isObject, type JsonObject, wrongValues } from '@svc/contract'
import { type Context, toContext } from '@svc/evaluation'
import { fieldRules } from '@svc/proto/field-rules'
import { invalidField } from '@svc/runtime'

/** One evaluation, as requested. Nothing is required. */
export interface EvaluationRequest {
  readonly requestId: string
  /** As it was sent. */
  readonly namespaceKey: string
  readonly flagKey: string
  readonly entityId: string
  readonly context: Context
}

/** More than any application sends of an entity; contract decision 20. */
const maxContextKeys = fieldRules.EvaluationRequest.context.maxProperties
const maxContextBytes = 64 * 1024
const maxBatchItems = fieldRules.EvaluateBatchRequest.requests.maxItems

const listRule = 'requests must be a list of objects'

/** @throws {AppError} `invalid_argument` for a member of the wrong type or over its limit */
export function readEvaluationRequest(body: JsonObject): EvaluationRequest {
  return {
    requestId: toText(body.requestId ?? body.request_id, 'requestId'),
    namespaceKey: toText(body.namespaceKey ?? body.namespace_key, 'namespaceKey'),
    flagKey: toText(body.flagKey ?? body.flag_key, 'flagKey'),
    entityId: toText(body.entityId ?? body.entity_id, 'entityId'),
    context: readContextOf(body),
  }
}

/** An empty namespace means the default one. */
export function resolveNamespace(namespaceKey: string): string {
  return namespaceKey === '' ? 'default' : namespaceKey
}

/** The keys of the flags in a body, once it has been read. */
export function flagKeysOf(body: JsonObject): readonly string[] {
  const asked = 'requests' in body ? readItems(body) : [body]
  return asked.map((one) => readText(one, 'flagKey', 'flag_key'))
}

/** Either spelling, the camelCase one first; `null` counts as absent. */
export function readText(body: JsonObject, name: string, snakeName = name): string {
  return toText(body[name] ?? body[snakeName], name)
}

function toText(value: unknown, name: string): string {
  const text = value ?? ''
  if (typeof text !== 'string') throw wrongValues(`${name} must be a string`)
  return text
}

export function readFlag(body: JsonObject, name: string, snakeName: string): boolean {
  const value = body[name] ?? body[snakeName] ?? false
  if (typeof value !== 'boolean') throw wrongValues(`${name} must be true or false`)
  return value
}

/** One known client sends its lists as objects with the keys "0", "1", … */
export function readItems(body: JsonObject): readonly JsonObject[] {
  const value = body.requests ?? []
  const items = isObject(value) ? listOf(value) : value
  if (!Array.isArray(items) || !items.every(isObject)) throw wrongValues(listRule)
  if (items.length > maxBatchItems) {
    throw invalidField('requests', `must contain at most ${maxBatchItems} elements`)
  }
  return items
}

function listOf(value: JsonObject): unknown[] {
  return Object.entries(value).map(([key, item], index) => {
    if (key !== String(index)) throw wrongValues(listRule)
    return item
  })
}

/** @throws {AppError} `invalid_argument` for a context of the wrong type or over its limits */
export function readContextOf(body: JsonObject): Context {
  const values = body.context ?? {}
  if (!isObject(values)) throw wrongValues('context must be an object')
  const context = toContext(values)
  let keys = 0
  let length = 0
  for (const key in context) {
    keys++
    length += key.length + (context[key]?.length ?? 0)
  }
  if (keys > maxContextKeys) {
    throw invalidField('context', `must have at most ${maxContextKeys} keys`)
  }
  // A UTF-16 unit takes up to three bytes of UTF-8: count them only where it may matter.
  if (
    length * 3 > maxContextBytes &&
    Buffer.byteLength(JSON.stringify(context)) > maxContextBytes
  ) {
    throw invalidField('context', `must be at most ${maxContextBytes} bytes`)
  }
  return context
}
