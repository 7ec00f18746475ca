import { MessageTypes, toComment } from './generate.types.mjs'

/** The group of functions that each service becomes. A service without one stops the build. */
const groupOf = {
  AuthenticationService: 'authentications',
  ChangeService: 'changes',
  CliService: 'cli',
  CodehostService: 'codehost',
  ConstraintService: 'constraints',
  DistributionService: 'distributions',
  DocumentService: 'documents',
  DraftService: 'drafts',
  EvaluationService: 'evaluation',
  EventService: 'events',
  ExplainService: 'explanations',
  FlagService: 'flags',
  GatewayService: 'gateways',
  LegacyEvaluationService: undefined,
  MetadataService: 'metadata',
  MethodService: 'methods',
  NamespaceService: 'namespaces',
  OfrepService: 'ofrep',
  OidcService: 'oidc',
  OrchestratorService: 'orchestrator',
  RecordService: 'records',
  RolloutService: 'rollouts',
  RuleService: 'rules',
  SegmentService: 'segments',
  SessionService: 'sessions',
  SnapshotService: 'snapshots',
  TokenService: 'tokens',
  VariantService: 'variants',
}

/**
 * @param {import('@svc/contract').Contract} contract
 * @returns {string} TypeScript
 */
export function toSource({ operations, comments }) {
  const types = new MessageTypes(comments)
  // By hand: the build also runs on Node.js 20, which has no Map.groupBy.
  const callable = operations.filter(isCallable)
  const names = [...new Set(callable.map(groupNameOf))].filter((name) => name !== undefined)
  const groups = names.sort().map((name) => {
    const members = callable.filter((operation) => groupNameOf(operation) === name)
    return { name, methods: toMethods(members) }
  })
  const interfaces = groups.map(
    ({ name, methods }) =>
      `export interface ${typeName(name)} {\n${methods.map((one) => toSignature(one, types)).join('\n')}\n}\n`,
  )
  const api = groups.map(({ name }) => `  readonly ${name}: ${typeName(name)}\n`)
  const functions = groups.map(
    ({ name, methods }) => `    ${name}: {\n${methods.map(toFunction).join('\n')}\n    },\n`,
  )
  return `import type { CallOptions, JsonObject, JsonValue, Send } from '../call.ts'

${types.source}
${interfaces.join('\n')}
/** A function for each operation, by what it is about. */
export interface Api {
${api.join('')}}

export function bindApi(send: Send): Api {
  return {
${functions.join('')}  }
}
`
}

/** What a program calls: no stream, no page of a login, nothing that only services call. */
function isCallable({ bindings, isStream, route }) {
  return bindings.length > 0 && !isStream && route.login !== 'CALLBACK' && route.body === 'JSON'
}

function groupNameOf({ service }) {
  const name = service.split('.').at(-1)
  if (!(name in groupOf)) throw new Error(`${name} has no group in generate.operations.mjs`)
  return groupOf[name]
}

function typeName(group) {
  return `${group[0].toUpperCase()}${group.slice(1)}Api`
}

/** Names without what the group says already: `flags.list` is ListFlags. */
function toMethods(operations) {
  const short = operations.map((operation) => {
    const noun = operation.service
      .split('.')
      .at(-1)
      .replace(/Service$/, '')
    return operation.name.replace(new RegExp(`(?<=.)${noun}s?$`), '')
  })
  return operations.map((operation, index) => {
    const isUnique = short.filter((name) => name === short[index]).length === 1
    const name = isUnique ? short[index] : operation.name
    return { name: name[0].toLowerCase() + name.slice(1), operation }
  })
}

function toSignature({ name, operation }, types) {
  const { input, output, bindings, comment } = operation
  const [{ template }] = bindings
  const request = types.requestOf(input, template.fields)
  const isOptional = !types.hasRequired(input, template.fields)
  const parameters = `request${isOptional ? '?' : ''}: ${request}, options?: CallOptions`
  return `${toComment(comment, '  ')}  ${name}(${parameters}): Promise<${types.answerOf(output)}>`
}

function toFunction({ name, operation }) {
  const [{ verb, template, hasBody }] = operation.bindings
  const call = `send('${verb}', '${template.text}', ${hasBody}, request, options)`
  return `      ${name}: (request, options) => ${call},`
}
