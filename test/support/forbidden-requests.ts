import {
  type JsonSchema,
  type NamedOperation,
  type OpenApiDocument,
  resolveSchema,
} from './openapi.ts'

/** What no refusal may repeat. */
export const canary = 's3cret-canary'

/** One change that makes an allowed value a forbidden one. */
export interface Forbidden {
  /** For example `threshold.percentage is 101`. */
  readonly what: string
  readonly value: unknown
  /** Whether the refusal quotes the value, as the contract has it. */
  readonly isQuoted?: boolean
}

type JsonObject = Readonly<Record<string, unknown>>

/** Bodies with one field that the schema forbids, made of one that it allows. */
export function forbiddenBodies(
  document: OpenApiDocument,
  schema: JsonSchema,
  body: JsonObject,
): Forbidden[] {
  const { properties = {}, required = [], oneOf = [] } = resolveSchema(document, schema)
  const choices = oneOf.flatMap((choice) => choice.required ?? [])
  const none = Object.entries(body).filter(([name]) => !choices.includes(name))
  const neither =
    choices.length === 0 ? [] : [{ what: `none of ${choices}`, value: Object.fromEntries(none) }]
  const ofFields = Object.entries(properties).flatMap(([name, property]) => {
    if (/ignored/.test(property.description ?? '')) return []
    const { [name]: _, ...rest } = body
    const missing = required.includes(name) ? [{ what: `no ${name}`, value: rest }] : []
    const replaced = forbiddenValues(document, property, body[name])
      // Of two of which a request has one, the other may be empty.
      .filter(({ value }) => !choices.includes(name) || !isEmpty(value))
      .map((one) => ({
        ...one,
        what: `${name} ${one.what}`,
        value: { ...body, [name]: one.value },
      }))
    return [...missing, ...replaced]
  })
  return [...neither, ...ofFields]
}

function isEmpty(value: unknown): boolean {
  return value === '' || (Array.isArray(value) && value.length === 0)
}

/** Parameters with one that its schema forbids, as text. Those in the path stay in their place. */
export function forbiddenParameters(
  { parameters = [] }: NamedOperation,
  given: JsonObject,
): Forbidden[] {
  return parameters.flatMap(({ name, in: place, schema }) => {
    if (place === 'header') return []
    return forbiddenTexts(schema).map(({ what, value }) => ({
      what: `${name} ${what}`,
      value: { ...given, [name]: value },
    }))
  })
}

function forbiddenTexts(schema: JsonSchema): Forbidden[] {
  switch (schema.type) {
    case 'integer':
      return [is('ten'), is(1.5), ...outOfBounds(schema)]
    case 'boolean':
      return [is('yes')]
    case 'string':
      return schema.format === 'date-time' ? [is('soon')] : [...wrongTexts(schema)].filter(notEmpty)
    default:
      return schema.enum === undefined ? [] : [is('NOPE')]
  }
}

const notEmpty = ({ value }: Forbidden) => value !== ''

function forbiddenValues(
  document: OpenApiDocument,
  schema: JsonSchema,
  value: unknown,
): Forbidden[] {
  const resolved = resolveSchema(document, schema)
  const { type, enum: values, items, properties } = resolved
  if (values !== undefined) return [is({}), { ...is('NOPE'), isQuoted: true }]
  switch (type) {
    case 'boolean':
      return [is(canary), is(1), is([])]
    case 'integer':
      return [is(canary), is(1.5), is({}), ...outOfBounds(resolved)]
    case 'number':
      return [is(canary), is([]), ...outOfBounds(resolved)]
    case 'array':
      return [is(canary), is(1), ...wrongLists(document, resolved, items ?? {})]
    case 'object':
      return [is(canary), is([canary]), ...wrongObjects(document, resolved, properties, value)]
    default:
      return [is({ [canary]: canary }), is([canary]), is(true), is(7), ...wrongTexts(resolved)]
  }
}

function wrongLists(
  document: OpenApiDocument,
  { minItems = 0, maxItems }: JsonSchema,
  items: JsonSchema,
): Forbidden[] {
  const item = resolveSchema(document, items).type === 'object' ? {} : 'a'
  const list = (length: number) => Array.from({ length }, () => item)
  return [
    is([7]),
    ...(minItems > 0 ? [is(list(minItems - 1))] : []),
    ...(maxItems === undefined ? [] : [{ what: 'has too many', value: list(maxItems + 1) }]),
    ...[...wrongTexts(resolveSchema(document, items))].map((one) => ({
      ...one,
      value: [one.value],
    })),
  ]
}

function wrongObjects(
  document: OpenApiDocument,
  schema: JsonSchema,
  properties: JsonSchema['properties'],
  value: unknown,
): Forbidden[] {
  if (properties !== undefined) {
    return isObject(value) ? forbiddenBodies(document, schema, value) : []
  }
  if (schema.maxProperties === undefined) return []
  const names = Array.from({ length: schema.maxProperties + 1 }, (_, index) => `k${index}`)
  const many = Object.fromEntries(names.map((name) => [name, 'v']))
  return [{ what: 'has too many members', value: many }]
}

function* wrongTexts({ type, minLength = 0, maxLength, pattern, format }: JsonSchema) {
  if (type !== 'string') return
  if (minLength > 0) yield is('')
  if (maxLength !== undefined) yield { what: 'is too long', value: 'k'.repeat(maxLength + 1) }
  if (pattern !== undefined) yield pattern.startsWith('^') ? is('a b') : is(' ')
  if (format === 'date-time' || format === 'ip-range' || format === 'go-duration') yield is(canary)
}

function outOfBounds({ minimum, maximum }: JsonSchema): Forbidden[] {
  return [
    ...(minimum === undefined ? [] : [is(minimum - 1)]),
    ...(maximum === undefined ? [] : [is(maximum + 1)]),
  ]
}

function is(value: unknown): Forbidden {
  return { what: `is ${JSON.stringify(value)}`, value }
}

function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
