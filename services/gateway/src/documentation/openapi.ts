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
import { AppError, type ErrorCode } from '@svc/runtime'
import { ofrepErrorBody } from '../answers/ofrep/errors.ts'
import { type ErrorBody, errorBody } from '../http/errors.ts'
import texts from './openapi.json' with { type: 'json' }
import { toExample } from './openapi-examples.ts'
import { ruleOf, type Schema } from './openapi-rules.ts'
import { SchemaCollection } from './openapi-schemas.ts'

export const title = 'Feature flag service'

const description = `
Manages feature flags and evaluates them for applications.

Requests carry a client token: \`Authorization: Bearer <token>\`. Bodies are JSON, whatever their
\`Content-Type\`; names may be written in camelCase or snake_case, unknown ones are ignored and named
in the header \`X-Svc-Ignored\`. What is left out counts as empty: \`PUT\` replaces everything, so send
all of it. Text holds no U+0000; whole numbers beyond 2^53 are sent as strings. Every success is
answered with status 200. \`?pretty\` indents the answer.
`.trim()

type IsFor = (operation: Operation, binding: Binding) => boolean

const isChange = ({ access }: Operation) => access.action !== 'READ'

/** What the log of changes has, and what `If-Match` is for. */
const isLogged = (operation: Operation) =>
  isChange(operation) &&
  operation.route.answeredBy === 'RESOURCE_SERVICE' &&
  !operation.route.isUntagged

const needsAccess: IsFor = (operation) =>
  operation.access.scope.case !== 'public' || isChange(operation)

/** The statuses besides 200: an error that has it, and the operations that it is for. */
const failures: readonly (readonly [keyof typeof texts.failures, ErrorCode, IsFor])[] = [
  ['400', 'invalid_argument', () => true],
  ['401', 'unauthenticated', needsAccess],
  ['403', 'permission_denied', needsAccess],
  ['404', 'not_found', (_, { template, hasBody }) => template.fields.length > 0 || hasBody],
  ['409', 'already_exists', (operation, { hasBody }) => hasBody && isChange(operation)],
  ['412', 'failed_precondition', isLogged],
  ['413', 'invalid_argument', (_, { hasBody }) => hasBody],
  ['429', 'resource_exhausted', () => true],
  ['503', 'unavailable', () => true],
]

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
      schemas: { ...texts.schemas, ...schemas.schemas },
      responses: {
        ...toFailures('', 'Error', errorBody),
        ...toFailures('Ofrep', 'OfrepError', ofrepErrorBody),
      },
      parameters: texts.parameters,
      headers: texts.headers,
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

function toFailures(area: string, schema: string, write: ErrorBody): Record<string, object> {
  return Object.fromEntries(
    failures.map(([status, code]) => {
      const { description, message } = texts.failures[status]
      const example = JSON.parse(write(new AppError(code, '', message), Number(status), {}))
      const content = asJson({ $ref: `#/components/schemas/${schema}` }, example)
      const headers = status === '412' ? revisionHeaders(['ETag', 'Revision']) : undefined
      return [area + status, { description, headers, content }]
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
        headers: toHeaders(operation, operations),
        content: asJson(schemas.refer(output, 'response'), toExample(output, 'response')),
      }
  const failed = failures
    .filter(([, , isFor]) => isFor(operation, binding))
    .map(([status]) => [status, { $ref: `#/components/responses/${area}${status}` }])
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

/** A change has a revision; what has a tag is a change's answer, or is read as such answers have it. */
function toHeaders(operation: Operation, operations: readonly Operation[]) {
  if (isLogged(operation)) return revisionHeaders(['ETag', 'Revision'])
  const isRecord = operations.some((one) => isLogged(one) && one.output === operation.output)
  return isRecord ? revisionHeaders(['ETag']) : undefined
}

const headerNames = { ETag: 'ETag', Revision: 'X-Svc-Revision' } as const

function revisionHeaders(headers: readonly (keyof typeof headerNames)[]) {
  return Object.fromEntries(
    headers.map((name) => [headerNames[name], { $ref: `#/components/headers/${name}` }]),
  )
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
  if (isLogged(operation)) return [...inPath, ...inQuery, ...changeHeaders]
  if (scope.case !== 'namespaceHeader') return [...inPath, ...inQuery]
  const namespace = {
    name: scope.header,
    in: 'header',
    description: `The namespace; \`${defaultNamespaceKey}\` without it.`,
    schema: { type: 'string', ...keyRule },
  }
  return [namespace, ...inPath, ...inQuery]
}

const changeHeaders = Object.keys(texts.parameters).map((name) => ({
  $ref: `#/components/parameters/${name}`,
}))

function toParameter(field: DescField, place: 'path' | 'query', schemas: SchemaCollection) {
  const { description, ...schema } = schemas.toProperty(field, 'request')
  return { name: field.jsonName, in: place, description, schema }
}

function tagOf(service: string): string {
  return service.slice(service.lastIndexOf('.') + 1).replace(/Service$/, '')
}

function asJson(schema: object, example: object): object {
  return { 'application/json': { schema, example } }
}
