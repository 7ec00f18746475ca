import fc from 'fast-check'
import {
  type JsonSchema,
  type NamedOperation,
  type OpenApiDocument,
  resolveSchema,
} from './openapi.ts'

export interface GeneratedRequest {
  readonly operation: NamedOperation
  readonly path: string
  readonly body: string | undefined
}

/** Names of things that the test has made, so that requests meet something; and some that are not. */
const names = ['default', 'other', 'nothing', 'switch', 'color', 'everyone', 'blue', '']

/** Values that have broken other people's services. */
const nastyValues: readonly unknown[] = [
  null,
  true,
  0,
  -1,
  1.5,
  2 ** 31,
  -(2 ** 63),
  1e308,
  '',
  ' ',
  'NaN',
  'Infinity',
  '\u0000',
  '\ud800',
  '\u202e\ufeff',
  "'; DROP TABLE resource.flags; --",
  '{"a":',
  'x'.repeat(300),
  'é'.repeat(70_000),
  '2024-02-30T25:61:61Z',
  '9999-12-31T23:59:59.999999999Z',
  [],
  [[]],
  {},
  { a: { b: [null] } },
  nested(40),
]

function nested(depth: number): unknown {
  return depth === 0 ? 1 : [nested(depth - 1)]
}

/** Requests to any operation: half as its schemas say, half with one value that they do not expect. */
export function generatedRequests(
  document: OpenApiDocument,
  operations: readonly NamedOperation[],
) {
  return fc.constantFrom(...operations).chain((operation) => requestsTo(document, operation))
}

function requestsTo(
  document: OpenApiDocument,
  operation: NamedOperation,
): fc.Arbitrary<GeneratedRequest> {
  const { parameters = [] } = operation
  const mutations = fc.option(fc.tuple(fc.nat(), fc.constantFrom(...nastyValues)), {
    nil: undefined,
  })
  return fc.tuple(partsOf(document, operation), mutations).map(([{ given, body }, mutation]) => {
    const mutated = mutation === undefined ? body : mutate(body, ...mutation)
    // Where there is no body, the one odd value goes into a parameter.
    if (mutation !== undefined && body === undefined && parameters.length > 0) {
      const parameter = parameters[mutation[0] % parameters.length]
      if (parameter !== undefined) given[parameter.name] = mutation[1]
    }
    return { operation, path: toPath(operation, given), body: toBody(mutated) }
  })
}

/** What a request is made of: its parameters by name, and its body. */
export interface RequestParts {
  readonly given: Record<string, unknown>
  readonly body: unknown
}

/** The parts of requests that the schemas of an operation allow. */
export function partsOf(
  document: OpenApiDocument,
  { parameters = [], requestBody }: NamedOperation,
): fc.Arbitrary<RequestParts> {
  const values = parameters.map(({ name, schema }) => [name, valuesOf(document, schema)] as const)
  const schema = requestBody?.content['application/json']?.schema
  const body = schema === undefined ? fc.constant(undefined) : valuesOf(document, schema)
  return fc.record({ given: fc.record(Object.fromEntries(values)), body })
}

function toBody(body: unknown): string | undefined {
  return body === undefined ? undefined : JSON.stringify(body)
}

/** The path with the parameters in it, and in the query. */
export function toPath(
  { path, parameters = [] }: NamedOperation,
  given: Record<string, unknown>,
): string {
  const query = new URLSearchParams()
  let filled = path
  for (const { name, in: place } of parameters) {
    const value = given[name]
    const text = (typeof value === 'string' ? value : JSON.stringify(value ?? '')).slice(0, 500)
    if (place === 'path') {
      // An empty segment at the end is another route's URL.
      const segment = encodeURIComponent(text.toWellFormed()) || '-'
      filled = filled.replace(`{${name}}`, () => segment)
    } else if (place === 'query' && value !== undefined) {
      query.set(name, text)
    }
  }
  return query.size === 0 ? filled : `${filled}?${query}`
}

/** Replaces one member, chosen by number, somewhere in a value. */
function mutate(value: unknown, choice: number, replacement: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value === undefined ? value : replacement
  const keys = Object.keys(value)
  const key = keys[choice % Math.max(1, keys.length)]
  if (key === undefined) return replacement
  const entries = Object.entries(value).map(([name, child]) => {
    if (name !== key) return [name, child]
    const goesDeeper = typeof child === 'object' && child !== null && choice % 3 !== 0
    return [name, goesDeeper ? mutate(child, Math.floor(choice / 3), replacement) : replacement]
  })
  return Array.isArray(value) ? entries.map(([, child]) => child) : Object.fromEntries(entries)
}

/** Values that a schema allows. */
function valuesOf(document: OpenApiDocument, schema: JsonSchema, depth = 0): fc.Arbitrary<unknown> {
  if (schema.$ref !== undefined) return valuesOf(document, resolveSchema(document, schema), depth)
  if (schema.const !== undefined) return fc.constant(schema.const)
  if (schema.enum !== undefined) return fc.constantFrom(...schema.enum)
  const types = [schema.type ?? 'object'].flat()
  return fc.oneof(...types.map((type) => valuesOfType(document, schema, type, depth)))
}

function valuesOfType(
  document: OpenApiDocument,
  schema: JsonSchema,
  type: string,
  depth: number,
): fc.Arbitrary<unknown> {
  switch (type) {
    case 'null':
      return fc.constant(null)
    case 'boolean':
      return fc.boolean()
    case 'integer':
      return integersOf(schema)
    case 'number':
      return fc.double({ min: schema.minimum ?? -1, max: schema.maximum ?? 101, noNaN: true })
    case 'array': {
      const { minItems = 0, items = {} } = schema
      const options = { minLength: minItems, maxLength: Math.max(minItems, 3) }
      return fc.array(valuesOf(document, items, depth + 1), options)
    }
    case 'object':
      return depth > 8 ? fc.constant({}) : objectsOf(document, schema, depth)
    default:
      return textsOf(schema)
  }
}

function integersOf({ minimum, maximum }: JsonSchema): fc.Arbitrary<number> {
  const bounds = {
    ...(minimum !== undefined && { min: minimum }),
    ...(maximum !== undefined && { max: maximum }),
  }
  return fc.oneof(fc.integer({ min: Math.max(minimum ?? 0, 0), max: 30 }), fc.integer(bounds))
}

function textsOf(schema: JsonSchema): fc.Arbitrary<string> {
  const { pattern, minLength = 0, maxLength = Number.POSITIVE_INFINITY } = schema
  const fits = (text: string) =>
    text.length >= minLength &&
    text.length <= maxLength &&
    (pattern === undefined || new RegExp(pattern).test(text))
  return formsOf(schema).filter(fits)
}

function formsOf({ format, contentMediaType, pattern }: JsonSchema): fc.Arbitrary<string> {
  if (contentMediaType === 'application/json') return fc.oneof(fc.constant(''), fc.json())
  const known = fc.constantFrom(...names)
  switch (format) {
    case 'date-time': {
      const min = new Date('0001-01-01T00:00:00Z')
      const max = new Date('9999-12-31T00:00:00Z')
      return fc.date({ min, max, noInvalidDate: true }).map((date) => date.toISOString())
    }
    case 'uuid':
      return fc.uuid()
    case 'go-duration':
      return fc.constantFrom('', '1h', '1h30m', '720h', '0.5s')
    case 'ip-range':
      return fc.constantFrom('10.0.0.0/8', '192.0.2.7', '2001:db8::/32')
  }
  if (pattern !== undefined) return fc.oneof(known, fc.stringMatching(new RegExp(pattern)))
  return fc.oneof(
    { weight: 3, arbitrary: known },
    { weight: 1, arbitrary: fc.string({ unit: 'grapheme', maxLength: 20 }) },
    { weight: 1, arbitrary: fc.stringMatching(/^[-_,A-Za-z0-9]{1,12}$/) },
    { weight: 1, arbitrary: fc.constantFrom('["a"]', '1', '{}', 'entityId', '2030-01-31') },
  )
}

/** Whole numbers that JavaScript could not keep are refused, wherever they are. */
function isKept(value: unknown): boolean {
  return !/\d{16}/.test(JSON.stringify(value))
}

function objectsOf(document: OpenApiDocument, schema: JsonSchema, depth: number) {
  const { properties, additionalProperties, required = [], oneOf } = schema
  if (properties === undefined) {
    const values =
      typeof additionalProperties === 'object'
        ? valuesOf(document, additionalProperties, depth + 1)
        : fc.jsonValue({ maxDepth: 2 }).filter(isKept)
    return fc.dictionary(fc.string({ minLength: 1, maxLength: 8 }), values, { maxKeys: 3 })
  }
  const membersWithout = (left: ReadonlySet<string>) =>
    Object.fromEntries(
      Object.entries(properties)
        .filter(([name]) => !left.has(name))
        .map(([name, property]) => [name, valuesOf(document, property, depth + 1)] as const),
    )
  // Of some members, an object has exactly one.
  const choices = (oneOf ?? [{}]).map((choice) => choice.required ?? [])
  return fc.oneof(
    ...choices.map((chosen) => {
      const others = choices.flat().filter((name) => !chosen.includes(name))
      const requiredKeys = [...required, ...chosen]
      return fc.record(membersWithout(new Set(others)), { requiredKeys })
    }),
  )
}
