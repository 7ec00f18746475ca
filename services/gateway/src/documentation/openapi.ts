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
import { AppError } from '@svc/runtime'
import { ofrepErrorBody } from '../answers/ofrep/errors.ts'
import { type ErrorBody, errorBody } from '../http/errors.ts'
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
  400: [
    'The request is malformed or breaks a rule.',
    'invalid_argument',
    'invalid field key: must not be empty',
  ],
  401: [
    'The credential is missing or not valid.',
    'unauthenticated',
    'request was not authenticated',
  ],
  403: [
    'The credential is valid, but not for this.',
    'permission_denied',
    'token "shop" is restricted to namespace "shop"',
  ],
  404: [
    'Something that the request names does not exist.',
    'not_found',
    'flag "default/checkout" not found',
  ],
  409: [
    'Something of this key exists already.',
    'already_exists',
    'flag "default/checkout" is not unique',
  ],
  413: ['The body is too large.', 'invalid_argument', 'the body is too large'],
  429: [
    'Too much of this came from one address; Retry-After says how long to wait.',
    'resource_exhausted',
    'too many failures, try later',
  ],
  503: [
    'A part of the service does not answer; trying again later may help.',
    'unavailable',
    'the resource service is unavailable, try again',
  ],
} as const

/** The OpenAPI 3.1 document of all operations that have a URL. */
export function toOpenApi(contract: Contract) {
  const schemas = new SchemaCollection(contract)
  const operations = contract.operations.filter(({ bindings }) => bindings.length > 0)
  const paths: Record<string, Record<string, ReturnType<typeof toOperationObject>>> = {}
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
        ...toFailures('', 'Error', errorBody),
        ...toFailures('Ofrep', 'OfrepError', ofrepErrorBody),
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

function toFailures(area: string, schema: string, write: ErrorBody): Record<string, object> {
  return Object.fromEntries(
    Object.entries(failures).map(([status, [description, code, message]]) => {
      const example = JSON.parse(write(new AppError(code, '', message), Number(status), {}))
      const content = asJson({ $ref: `#/components/schemas/${schema}` }, example)
      return [area + status, { description, content }]
    }),
  )
}

function toOperationObject(
  bound: BoundOperation,
  operations: readonly Operation[],
  schemas: SchemaCollection,
) {
  const { operation, binding } = bound
  const { output, comment } = operation
  const area = operation.route.area === 'OFREP' ? 'Ofrep' : ''
  const [summary = ''] = /^.*?[.](?=\s|$)/s.exec(comment) ?? [comment]
  const answer = operation.isStream
    ? { description: 'Events.', content: { 'text/event-stream': toEvents(operation, schemas) } }
    : {
        description: 'Done.',
        content: asJson(schemas.refer(output, 'response'), toExample(output, 'response')),
      }
  const failed = failuresOf(operation, binding).map((status) => [
    status,
    { $ref: `#/components/responses/${area}${status}` },
  ])
  return {
    operationId: operationIdOf(bound, operations),
    tags: [tagOf(operation.service)],
    summary: summary.replace(/[.]$/, ''),
    description: comment,
    parameters: toParameters(bound, schemas),
    ...(binding.hasBody && { requestBody: toRequestBody(bound, schemas) }),
    responses: { 200: answer, ...Object.fromEntries(failed) },
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
  const members = output.oneofs[0]?.fields ?? []
  if (members.length === 0) {
    const schema = toEvent(schemas.refer(output, 'response'))
    return { schema, example: toStreamText([{ message: output }]) }
  }
  const oneOf = members.map((field) => toEvent(schemas.toProperty(field, 'response'), field.name))
  return { schema: { oneOf }, example: toStreamText(members) }
}

function toEvent(data: Schema, name?: string): object {
  const id = { type: 'string', description: 'Send it as `Last-Event-ID` to go on from here.' }
  const event = name === undefined ? undefined : { type: 'string', enum: [name] }
  return {
    type: 'object',
    properties: { id, event, data },
    required: ['id', ...(event ? ['event'] : []), 'data'],
  }
}

/** As it is sent, but for what is in the data. */
function toStreamText(events: readonly { name?: string; message?: DescMessage | undefined }[]) {
  const texts = events.map(({ name, message }, index) => {
    const data = message === undefined ? {} : toExample(message, 'response')
    const event = name === undefined ? '' : `event: ${name}\n`
    return `id: ${42 + index}\n${event}data: ${JSON.stringify(data)}\n\n`
  })
  return texts.join('')
}

/**
 * The first URL of an operation has its name, further ones are counted. Before a name that several operations
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

const keyRule = { pattern: keyPattern.source, maxLength: maxKeyLength }

function toParameters({ operation, binding }: BoundOperation, schemas: SchemaCollection): object[] {
  const { input, access } = operation
  const { scope } = access
  const inPath = binding.template.fields.flatMap((name) => {
    const field = input.fields.find(({ jsonName }) => jsonName === name)
    if (field === undefined) return []
    const isNamespace = scope.case === 'namespace' && scope.field[0] === name
    const { schema, ...parameter } = toParameter(field, 'path', schemas)
    // The page fills the example in where an operation is tried out.
    const example = ruleOf(field).key ? ruleOf(field).example : undefined
    const rules = { minLength: 1, ...(isNamespace && keyRule) }
    return [{ ...parameter, example, schema: { ...schema, ...rules }, required: true }]
  })
  const inQuery = input.fields
    .filter(({ jsonName }) => !binding.hasBody && !binding.template.fields.includes(jsonName))
    .map((field) => ({
      ...toParameter(field, 'query', schemas),
      required: ruleOf(field).required || undefined,
    }))
  if (scope.case !== 'namespaceHeader') return [...inPath, ...inQuery]
  const namespace = {
    name: scope.header,
    in: 'header',
    description: `The namespace; \`${defaultNamespaceKey}\` without it.`,
    schema: { type: 'string', ...keyRule },
  }
  return [namespace, ...inPath, ...inQuery]
}

function toParameter(field: DescField, place: 'path' | 'query', schemas: SchemaCollection) {
  const { description, ...schema } = schemas.toProperty(field, 'request')
  return { name: field.jsonName, in: place, description, schema }
}

function failuresOf({ access }: Operation, { template, hasBody }: Binding): readonly number[] {
  const changes = access.action !== 'READ'
  const isFor: readonly (readonly [status: keyof typeof failures, is: boolean])[] = [
    [400, true],
    [401, access.scope.case !== 'public' || changes],
    [403, access.scope.case !== 'public' || changes],
    [404, template.fields.length > 0 || hasBody],
    [409, hasBody && changes],
    [413, hasBody],
    [429, true],
    [503, true],
  ]
  return isFor.flatMap(([status, is]) => (is ? [status] : []))
}

function tagOf(service: string): string {
  return service.slice(service.lastIndexOf('.') + 1).replace(/Service$/, '')
}

function asJson(schema: object, example: object): object {
  return { 'application/json': { schema, example } }
}
