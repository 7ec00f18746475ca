import type { DescField, DescMessage } from '@bufbuild/protobuf'
import { sessionCookie } from '@svc/access'
import {
  type Binding,
  type BoundOperation,
  type Contract,
  defaultNamespaceKey,
  keyPattern,
  maxKeyLength,
  type Operation,
} from '@svc/contract'
import { toExample } from './openapi-examples.ts'
import { ruleOf, type Schema } from './openapi-rules.ts'
import { SchemaCollection } from './openapi-schemas.ts'

export const title = 'Feature flag service'

const description = `
Manages feature flags and tells applications what they serve.

Requests carry a client token: \`Authorization: Bearer <token>\`. Bodies are JSON, whatever their
\`Content-Type\`; names may be written in camelCase or snake_case, unknown ones are ignored and named
in the header \`X-Svc-Ignored\`. What is left out counts as empty: \`PUT\` replaces everything, so send
all of it. Text holds no U+0000; whole numbers beyond 2^53 are sent as strings. Every success is
answered with status 200. \`?pretty\` indents the answer.
`.trim()

/** The statuses besides 200: what they mean whatever was asked, and an error that has it. */
const failures = {
  400: ['The request is malformed or breaks a rule.', 3, 'invalid field key: must not be empty'],
  401: ['The credential is missing or not valid.', 16, 'request was not authenticated'],
  403: [
    'The credential is valid, but not for this.',
    7,
    'token "shop" is restricted to namespace "shop"',
  ],
  404: ['Something that the request names does not exist.', 5, 'flag "default/checkout" not found'],
  409: ['Something of this key exists already.', 6, 'flag "default/checkout" is not unique'],
  413: ['The body is too large.', 3, 'the body is too large'],
  429: [
    'Too much of this came from one address; Retry-After says how long to wait.',
    8,
    'too many failures, try later',
  ],
  503: [
    'A part of the service does not answer; trying again later may help.',
    14,
    'the resource service is unavailable, try again',
  ],
} as const

type Failure = keyof typeof failures

interface OperationObject {
  readonly operationId: string
  readonly tags: readonly string[]
  readonly summary: string
  readonly description: string
  readonly parameters: readonly object[]
  readonly requestBody?: object
  readonly responses: Readonly<Record<string, object>>
  readonly security: readonly object[]
}

/** The OpenAPI 3.1 document of all operations that have a URL. */
export function toOpenApi(contract: Contract) {
  const schemas = new SchemaCollection(contract)
  const operations = contract.operations.filter(({ bindings }) => bindings.length > 0)
  const paths: Record<string, Record<string, OperationObject>> = {}
  for (const operation of operations) {
    for (const binding of operation.bindings) {
      const { text } = binding.template
      const object = toOperationObject({ operation, binding }, operations, schemas)
      paths[text] = { ...paths[text], [binding.verb.toLowerCase()]: object }
    }
  }
  const served = new Set(operations.map(({ service }) => service))
  return {
    openapi: '3.1.1',
    info: {
      title,
      version: 'v1',
      description,
      license: { name: 'Apache License 2.0', identifier: 'Apache-2.0' },
    },
    servers: [{ url: '/' }],
    tags: contract.services
      .filter(({ name }) => served.has(name))
      .toSorted((one, other) => one.position - other.position)
      .map(({ name, comment }) => ({ name: tagOf(name), description: comment })),
    paths,
    components: {
      schemas: { Error: errorSchema, OfrepError: ofrepErrorSchema, ...schemas.schemas },
      responses: {
        ...toFailures('', 'Error', toError),
        ...toFailures('Ofrep', 'OfrepError', toOfrepError),
      },
      securitySchemes: {
        cookie: {
          type: 'apiKey',
          in: 'cookie',
          name: sessionCookie,
          description: 'The login of a browser, for pages of this service.',
        },
        // The page puts the cursor into the last of them.
        bearer: { type: 'http', scheme: 'bearer', description: 'A client token.' },
      },
    },
  }
}

const errorSchema = {
  type: 'object',
  description: 'Why a request failed.',
  properties: {
    code: {
      type: 'integer',
      description: 'The canonical RPC code: 3 invalid argument, 5 not found, 16 unauthenticated, …',
    },
    message: {
      type: 'string',
      description: 'For people; names the field and what is allowed where it can.',
    },
    details: { type: 'array', items: {}, description: 'Always empty.' },
  },
  required: ['code', 'message', 'details'],
  additionalProperties: false,
}

const ofrepErrorSchema = {
  type: 'object',
  description: 'Why a request by OFREP failed.',
  properties: {
    key: { type: 'string', description: 'The flag, when one was asked for.' },
    errorCode: { type: 'string', enum: ['FLAG_NOT_FOUND', 'INVALID_CONTEXT', 'GENERAL'] },
    errorDetails: { type: 'string' },
  },
  required: ['errorCode', 'errorDetails'],
  additionalProperties: false,
}

function toFailures(
  area: string,
  schema: string,
  toExample: (code: number, message: string) => object,
): Record<string, object> {
  return Object.fromEntries(
    Object.entries(failures).map(([status, [meaning, code, message]]) => {
      const content = asJson({ $ref: `#/components/schemas/${schema}` }, toExample(code, message))
      return [area + status, { description: meaning, content }]
    }),
  )
}

function toError(code: number, message: string): object {
  return { code, message, details: [] }
}

function toOfrepError(code: number, errorDetails: string): object {
  const errorCode = code === 5 ? 'FLAG_NOT_FOUND' : code === 3 ? 'INVALID_CONTEXT' : 'GENERAL'
  return { errorCode, errorDetails }
}

function toOperationObject(
  bound: BoundOperation,
  operations: readonly Operation[],
  schemas: SchemaCollection,
): OperationObject {
  const { operation, binding } = bound
  const area = operation.route.area === 'OFREP' ? 'Ofrep' : ''
  const [summary = ''] = /^.*?[.](?=\s|$)/s.exec(operation.comment) ?? [operation.comment]
  return {
    operationId: operationIdOf(bound, operations),
    tags: [tagOf(operation.service)],
    summary: summary.replace(/[.]$/, ''),
    description: operation.comment,
    parameters: toParameters(bound, schemas),
    ...(binding.hasBody && { requestBody: toRequestBody(bound, schemas) }),
    responses: {
      200: operation.isStream
        ? { description: 'Events.', content: { 'text/event-stream': toEvents(operation, schemas) } }
        : {
            description: 'Done.',
            content: asJson(
              schemas.refer(operation.output, 'response'),
              toExample(operation.output, 'response'),
            ),
          },
      ...Object.fromEntries(
        failuresOf(operation, binding).map((status) => [
          status,
          { $ref: `#/components/responses/${area}${status}` },
        ]),
      ),
    },
    security: operation.access.scope.case === 'public' ? [] : [{ bearer: [] }, { cookie: [] }],
  }
}

const bodyTypes = { JSON: 'application/json', FORM: 'application/x-www-form-urlencoded' }

/** A body may be left out where none of its fields is required. */
function toRequestBody(
  { operation, binding: { template } }: BoundOperation,
  schemas: SchemaCollection,
): object {
  const schema = schemas.toObject(operation.input, 'request', template.fields)
  const example = operation.exampleBody ?? toExample(operation.input, 'request', template.fields)
  return {
    ...((schema.required ?? schema.oneOf) && { required: true }),
    content: { [bodyTypes[operation.route.body]]: { schema, example } },
  }
}

/**
 * The events of a stream. Where the answer is a one-of, its member's name is the event's; else events
 * have no name.
 */
function toEvents({ output }: Operation, schemas: SchemaCollection): object {
  const events = output.oneofs[0]?.fields ?? []
  const schema =
    events.length === 0
      ? toEvent(schemas.refer(output, 'response'))
      : {
          oneOf: events.map((field) => toEvent(schemas.toProperty(field, 'response'), field.name)),
        }
  return { schema, example: toStreamText(output) }
}

function toEvent(data: Schema, name?: string): object {
  const id = { type: 'string', description: 'Send it as `Last-Event-ID` to go on from here.' }
  const named = name === undefined ? {} : { event: { type: 'string', enum: [name] } }
  return {
    type: 'object',
    properties: { id, ...named, data },
    required: ['id', ...Object.keys(named), 'data'],
  }
}

/** As it is sent, but for what is in the data. */
function toStreamText(output: DescMessage): string {
  const events = output.oneofs[0]?.fields ?? []
  const texts =
    events.length === 0
      ? [`data: ${JSON.stringify(toExample(output, 'response'))}`]
      : events.map(({ name, message }) => {
          const data = message === undefined ? {} : toExample(message, 'response')
          return `event: ${name}\ndata: ${JSON.stringify(data)}`
        })
  return texts.map((text, index) => `id: ${42 + index}\n${text}\n\n`).join('')
}

/**
 * The first URL of a operation has its name, further ones are counted. Before a name that several operations
 * have comes what they belong to.
 */
function operationIdOf(
  { operation, binding }: BoundOperation,
  operations: readonly Operation[],
): string {
  const position = operation.bindings.indexOf(binding)
  const isShared = operations.some((other) => other !== operation && other.name === operation.name)
  const name = isShared ? tagOf(operation.service) + operation.name : operation.name
  const id = name.charAt(0).toLowerCase() + name.slice(1)
  return position === 0 ? id : `${id}${position + 1}`
}

function toParameters({ operation, binding }: BoundOperation, schemas: SchemaCollection): object[] {
  const { scope } = operation.access
  const inPath = binding.template.fields.flatMap((name) => {
    const field = operation.input.fields.find(({ jsonName }) => jsonName === name)
    if (field === undefined) return []
    const isNamespace = scope.case === 'namespace' && scope.field[0] === name
    const rule = { minLength: 1, ...(isNamespace && keyRule) }
    return [{ ...toParameter(field, 'path', schemas, rule), required: true }]
  })
  const inQuery = binding.hasBody
    ? []
    : operation.input.fields
        .filter(({ jsonName }) => !binding.template.fields.includes(jsonName))
        .map((field) => toParameter(field, 'query', schemas))
  const inHeader =
    scope.case === 'namespaceHeader'
      ? [
          {
            name: scope.header,
            in: 'header',
            description: `The namespace; \`${defaultNamespaceKey}\` without it.`,
            schema: { type: 'string', ...keyRule },
          },
        ]
      : []
  return [...inHeader, ...inPath, ...inQuery]
}

const keyRule = { pattern: keyPattern.source, maxLength: maxKeyLength }

function toParameter(
  field: DescField,
  place: 'path' | 'query',
  schemas: SchemaCollection,
  rule: Schema = {},
): object {
  const { description, ...schema } = schemas.toProperty(field, 'request')
  return {
    name: field.jsonName,
    in: place,
    ...(description !== undefined && { description }),
    // The page fills it in where an operation is tried out.
    ...(place === 'path' && ruleOf(field).key && { example: ruleOf(field).example }),
    ...(place === 'query' && ruleOf(field).required && { required: true }),
    schema: { ...schema, ...rule },
  }
}

function failuresOf({ access }: Operation, { template, hasBody }: Binding): readonly Failure[] {
  const isGuarded = access.scope.case !== 'public'
  return [
    400,
    ...(isGuarded || access.action !== 'READ' ? ([401, 403] as const) : []),
    ...(template.fields.length > 0 || hasBody ? ([404] as const) : []),
    ...(hasBody && access.action !== 'READ' ? ([409] as const) : []),
    ...(hasBody ? ([413] as const) : []),
    429,
    503,
  ]
}

function tagOf(service: string): string {
  return service.slice(service.lastIndexOf('.') + 1).replace(/Service$/, '')
}

function asJson(schema: object, example: object): object {
  return { 'application/json': { schema, example } }
}
