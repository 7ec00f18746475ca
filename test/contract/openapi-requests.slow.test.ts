import { Ajv2020 } from 'ajv/dist/2020.js'
import fc from 'fast-check'
import t from 'tap'
import {
  canary,
  type Forbidden,
  forbiddenBodies,
  forbiddenParameters,
} from '../support/forbidden-requests.ts'
import { partsOf, type RequestParts, toPath } from '../support/generate-requests.ts'
import { call } from '../support/http.ts'
import { type NamedOperation, type OpenApiDocument, operationsOf } from '../support/openapi.ts'
import { startStack } from '../support/stack.ts'

/** Of each operation: as many as find a rule that the document does not have, within seconds. */
const allowedRuns = 12

/** The same requests each time. */
const seed = 20_261_122

/** They end the login that the test has, or need one at a provider, or do not end. */
const leftOut =
  /^\/auth\/v1\/(session|self|method\/(oidc|codehost|orchestrator|kubernetes)\/)|\/(cli-tokens|stream(\/.*)?|events)$/

/** In an order in which each finds what it needs: with its example, it succeeds. */
const workingExamples = [
  'createNamespace',
  'updateNamespace',
  'createFlag',
  'updateFlag',
  'createSegment',
  'updateSegment',
  'createConstraint',
  'createRollout',
  'createVariant',
  'createRule',
  'evaluateBoolean',
  'evaluateVariant',
  'evaluateBatch',
  'legacyEvaluate',
  'legacyBatchEvaluate',
  'evaluateFlag',
  'evaluateFlags',
  'createToken',
]

/** Refusals that no schema of a request can express: by the state of the data, or by several fields. */
const otherRefusals: readonly RegExp[] = [
  /^namespace "\S+" (is protected|cannot be deleted; flags must be deleted first)$/,
  /^segment "\S+" is in use( by flag "\S+")?$/,
  /^variant "\S+" not found for flag /,
  /^cannot change type of rollout: /,
  /^invalid field (rule|rollout)Ids: must contain all ids of the flag, each of them once$/,
  /^invalid field segment: id is required$/,
  /^flag type \w+ invalid: use /,
  /^(pageToken is not valid|limit must be set when offset or pageToken is set)/,
  // What operators a type has, and what values they take.
  /^(constraint operator|invalid value provided|parsing datetime|property is|invalid field value: must not be empty)/,
  /^invalid field (namespace|expiration): must be the same as /,
  /^invalid field namespace_key: must be the same for all requests/,
  /^invalid field key: needs a kind$/,
  // Revisions are doubles, or texts in paths: no rule of a field says that they are whole.
  /^invalid field (after|revision|number): must be a whole number( from 1)?$/,
  // Of documents, what the members have to do with each other.
  /^(variant ".*" is there twice|only one variant can be the default|rules\[\d+\]: the flag has no variant)/,
  /^invalid field ((key|prune): |details\.)/,
  /^drafts\[\d+\]: invalid field namespaceKey: names a namespace for the second time$/,
  /^operations\[\d+\]: (takes |\w+\[\d+\]: |variant |only |invalid field (key|ifRevision)|the settings|.* is about the same )/,
  /^\w+\[\d+\]: (constraint operator|invalid value provided|parsing datetime|property is|invalid field value: must not be empty|rules)/,
]

t.test('the OpenAPI document says what the service checks', async (t) => {
  const { urls, api, token } = await startStack(t)
  for (const [key, type] of [
    ['switch', 'BOOLEAN_FLAG_TYPE'],
    ['color', 'VARIANT_FLAG_TYPE'],
  ]) {
    await api('POST', '/api/v1/flags', { key, name: key, type })
  }
  await api('POST', '/api/v1/segments', { key: 'everyone', name: 'Everyone' })
  await api('POST', '/api/v1/flags/color/variants', { key: 'blue' })
  const document = (await call(urls[0], 'GET', '/openapi.json')).body as OpenApiDocument
  const operations = operationsOf(document).filter(({ path }) => !leftOut.test(path))
  const send = ({ method, path }: NamedOperation, url: string, body: unknown) =>
    call(urls[0], method, url, body, { authorization: `Bearer ${token}` }).then((answer) => ({
      ...answer,
      sent: `${method} ${path} ${url} ${JSON.stringify(body)}`.slice(0, 600),
    }))
  const partsFor = (operation: NamedOperation, numRuns: number): RequestParts[] =>
    fc.sample(partsOf(document, operation), { numRuns, seed })

  await t.test('what it allows is not refused for its form', async (t) => {
    let accepted = 0
    for (const operation of operations) {
      for (const { given, body } of partsFor(operation, allowedRuns)) {
        const { status, text, sent } = await send(operation, toPath(operation, given), body)
        if (status === 200) accepted += 1
        const { message = '' } = status === 400 ? JSON.parse(text) : {}
        const isOther = otherRefusals.some((refusal) => refusal.test(message))
        if (![200, 400, 404, 409].includes(status) || (status === 400 && !isOther)) {
          t.fail(`${status} ${text.slice(0, 300)} to ${sent}`)
        }
      }
    }
    const all = operations.length * allowedRuns
    t.ok(accepted > all / 5, `many of them are accepted: ${accepted} of ${all}`)
  })

  await t.test('its examples work', async (t) => {
    await api('POST', '/api/v1/flags', { key: 'theme', name: 'Theme' })
    const tryExample = async (operation: NamedOperation, statuses: readonly number[]) => {
      const { parameters = [], requestBody } = operation
      const given = parameters.flatMap(({ name, required, schema }) =>
        required ? [[name, schema.examples?.[0]] as const] : [],
      )
      const body = requestBody?.content['application/json']?.example
      const url = toPath(operation, Object.fromEntries(given))
      const { status, text, sent } = await send(operation, url, body)
      const { message = '' } = status === 400 ? JSON.parse(text) : {}
      const isOther = statuses.length > 1 && otherRefusals.some((refusal) => refusal.test(message))
      t.ok(isOther || statuses.includes(status), `${status} ${text.slice(0, 300)} to ${sent}`)
    }
    for (const id of workingExamples) {
      const operation = operations.find(({ operationId }) => operationId === id)
      if (operation === undefined) t.fail(`there is no operation ${id}`)
      else await tryExample(operation, [200])
    }
    for (const operation of operations) await tryExample(operation, [200, 404, 409])
  })

  await t.test('what it forbids is refused, without repeating the value', async (t) => {
    let count = 0
    const refuse = async (
      operation: NamedOperation,
      { what, isQuoted }: Forbidden,
      url: string,
      body: unknown,
    ) => {
      count += 1
      const { status, text, sent } = await send(operation, url, body)
      // Without its flag, an evaluation finds none.
      const expected = /^\/evaluate\/.* (no flagKey|flagKey is "")$/.test(
        `${operation.path} ${what}`,
      )
        ? 404
        : 400
      if (status !== expected) t.fail(`${what}: ${status} ${text.slice(0, 300)} to ${sent}`)
      if (!isQuoted && text.includes(canary)) t.fail(`repeats ${canary}: ${text}`)
      if (text.length > 1000) t.fail(`${text.length} characters: ${text.slice(0, 300)}`)
    }
    const isForbidden = createValidator(document)
    for (const operation of operations) {
      const [{ given: drawn, body } = { given: {}, body: undefined }] = partsFor(operation, 1)
      // Some rules are checked once the flag is found.
      const given = {
        ...drawn,
        ...('flagKey' in drawn && { namespaceKey: 'default', flagKey: 'switch' }),
      }
      for (const forbidden of forbiddenParameters(operation, given)) {
        await refuse(
          operation,
          forbidden,
          toPath(operation, { ...given, ...Object(forbidden.value) }),
          body,
        )
      }
      const schema = operation.requestBody?.content['application/json']?.schema
      if (schema === undefined || typeof body !== 'object' || body === null) continue
      for (const forbidden of forbiddenBodies(document, schema, { ...body })) {
        if (!isForbidden(operation, forbidden.value)) t.fail(`${operation.path}: ${forbidden.what}`)
        await refuse(operation, forbidden, toPath(operation, given), forbidden.value)
      }
    }
    t.comment(`${count} refused`)
    t.ok(count > 1000)
  })
})

/** @returns whether the schema of an operation refuses a body */
function createValidator(document: OpenApiDocument) {
  const ajv = new Ajv2020({ strict: false })
  for (const format of ['int32', 'float', 'double', 'uuid']) ajv.addFormat(format, true)
  for (const format of ['date-time', 'ip-range', 'go-duration']) ajv.addFormat(format, /^[\d:]/)
  ajv.addSchema(document, 'openapi')
  return ({ path, method }: NamedOperation, body: unknown): boolean => {
    const at = `/paths/${encodeURIComponent(path.replaceAll('/', '~1'))}/${method.toLowerCase()}`
    const schema = `openapi#${at}/requestBody/content/application~1json/schema`
    return ajv.getSchema(schema)?.(body) === false
  }
}
