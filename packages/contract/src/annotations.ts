import {
  type DescMessage,
  type DescMethod,
  type DescService,
  type FileRegistry,
  getOption,
  hasOption,
  isMessage,
  type JsonObject,
  type JsonValue,
  ScalarType,
  toJson,
} from '@bufbuild/protobuf'
import { AppError } from '@svc/runtime'
import type { AccessRule, AccessScope, Answerer, Area, Binding, Route, Verb } from './contract.ts'
import { isObject } from './json.ts'
import { parseTemplate } from './template.ts'

const verbs: readonly Verb[] = ['GET', 'POST', 'PUT', 'DELETE']
const areas: readonly Area[] = ['MANAGEMENT', 'EVALUATION', 'OFREP', 'METADATA', 'AUTH']
const answerers: readonly Answerer[] = ['GATEWAY', 'AUTH_SERVICE', 'RESOURCE_SERVICE']
const logins = ['OWN_PAGE', 'REDIRECT', 'CALLBACK', 'PROGRAM'] as const

/** @throws {AppError} when the method has no `svc.options.v1.access`, or one that cannot hold */
export function readAccess(registry: FileRegistry, method: DescMethod): AccessRule {
  const access = readOption(registry, method, 'svc.options.v1.access')
  if (access === undefined) throw faulty(method, 'has no access annotation')
  const { resource, action } = access
  return {
    scope: toScope(method, access),
    resource: typeof resource === 'string' ? resource : 'RESOURCE_UNSPECIFIED',
    action: typeof action === 'string' ? action : 'ACTION_UNSPECIFIED',
  }
}

/** @throws {AppError} when the method has no URL though it is not internal, or one we cannot serve */
export function readBindings(
  registry: FileRegistry,
  method: DescMethod,
  access: AccessRule,
): readonly Binding[] {
  const rule = readOption(registry, method, 'google.api.http')
  if (access.scope.case === 'internal') {
    if (rule !== undefined) throw faulty(method, 'is internal and yet has a URL')
    return []
  }
  if (rule === undefined) throw faulty(method, 'has no URL')
  if (method.methodKind !== 'unary' && method.methodKind !== 'server_streaming') {
    throw faulty(method, 'has a URL and yet takes a stream')
  }
  const more = Array.isArray(rule.additionalBindings) ? rule.additionalBindings : []
  return [rule, ...more.filter((one) => isObject(one))].map((binding) => toBinding(method, binding))
}

/** @throws {AppError} when neither the method nor its service says who answers */
export function readRoute(registry: FileRegistry, method: DescMethod): Route {
  const route = {
    ...readOption(registry, method.parent, 'svc.options.v1.routes'),
    ...readOption(registry, method, 'svc.options.v1.route'),
  }
  const area = areas.find((known) => known === route.area)
  const answeredBy = answerers.find((known) => known === route.answeredBy)
  if (area === undefined || answeredBy === undefined) {
    throw faulty(method, 'has no route annotation with an area and who answers')
  }
  const login = logins.find((known) => known === route.login)
  const body = route.body === 'FORM' ? 'FORM' : 'JSON'
  const loginMethod = String(route.loginMethod ?? '')
  const isSlow = route.slow === true
  const isUntagged = route.untagged === true
  return { area, answeredBy, login, body, loginMethod, isSlow, isUntagged }
}

/** @returns `svc.options.v1.position`; without it a place after all that have one */
export function readPosition(registry: FileRegistry, service: DescService): number {
  return Number(readScalar(registry, service, 'svc.options.v1.position') ?? Number.MAX_SAFE_INTEGER)
}

/** @returns `svc.options.v1.example_body`, parsed; nothing where there is none */
export function readExampleBody(
  registry: FileRegistry,
  method: DescMethod,
): JsonObject | undefined {
  const text = readScalar(registry, method, 'svc.options.v1.example_body')
  const body: JsonValue | undefined = text === undefined ? undefined : JSON.parse(String(text))
  return isObject(body) ? body : undefined
}

function readScalar(registry: FileRegistry, declared: DescService | DescMethod, name: string) {
  const extension = registry.getExtension(name)
  if (extension === undefined || !hasOption(declared, extension)) return undefined
  return getOption(declared, extension)
}

function toBinding(method: DescMethod, rule: JsonObject): Binding {
  const verb = verbs.find((candidate) => typeof rule[candidate.toLowerCase()] === 'string')
  const template = verb && rule[verb.toLowerCase()]
  if (verb === undefined || typeof template !== 'string') throw faulty(method, 'has an odd URL')
  const body = rule.body ?? ''
  if (body !== '' && (body !== '*' || verb === 'GET' || verb === 'DELETE')) {
    throw faulty(method, `has the body "${String(body)}", which ${verb} cannot have`)
  }
  try {
    return { verb, template: parseTemplate(template, method.input), hasBody: body === '*' }
  } catch (error) {
    throw faulty(method, error instanceof Error ? `cannot be served: ${error.message}` : '')
  }
}

function toScope(method: DescMethod, access: JsonObject): AccessScope {
  if (typeof access.namespace === 'string') {
    return { case: 'namespace', field: toFieldPath(method, access.namespace) }
  }
  if (typeof access.namespaceHeader === 'string') {
    return { case: 'namespaceHeader', header: access.namespaceHeader }
  }
  for (const scope of ['global', 'public', 'internal', 'self'] as const) {
    if (access[scope] !== undefined) return { case: scope }
  }
  throw faulty(method, 'has an access annotation that does not say who may call it')
}

/** Follows a dotted path to a text field, through repeated messages. */
function toFieldPath(method: DescMethod, path: string): readonly string[] {
  let message: DescMessage | undefined = method.input
  const names = path.split('.')
  return names.map((name, index) => {
    const isLast = index === names.length - 1
    const field = message?.fields.find((candidate) => candidate.name === name)
    const isText = field?.fieldKind === 'scalar' && field.scalar === ScalarType.STRING
    const isList = field?.fieldKind === 'list' && field.listKind === 'message'
    if (field === undefined || !(isLast ? isText : isList)) {
      throw faulty(method, `names "${path}" as its namespace, which is no text field`)
    }
    message = field.message
    return field.jsonName
  })
}

/** As JSON, because the extension is known by its descriptor only and not by a type. */
function readOption(
  registry: FileRegistry,
  declared: DescService | DescMethod,
  name: string,
): JsonObject | undefined {
  const extension = registry.getExtension(name)
  if (extension?.message === undefined || !hasOption(declared, extension)) return undefined
  const option = getOption(declared, extension)
  const json = isMessage(option) ? toJson(extension.message, option) : undefined
  return isObject(json) ? json : undefined
}

function faulty(method: DescMethod, fault: string): AppError {
  const name = `${method.parent.typeName}.${method.name}`
  return new AppError('failed_precondition', 'faulty_contract', `${name} ${fault}`)
}
