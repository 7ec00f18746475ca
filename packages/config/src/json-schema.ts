import { parse } from 'yaml'
import type { SettingsSchema } from './schema.ts'
import { anyName, type Setting } from './setting-index.ts'

/** Of draft 7. */
type JsonSchema = Readonly<Record<string, unknown>>

interface Section {
  readonly type: 'object'
  additionalProperties: unknown
  propertyNames?: unknown
  readonly properties: Record<string, unknown>
}

/** A text that stands for a variable of the process. */
const variableText = { type: 'string', pattern: '^\\$\\{\\w+\\}$' }
const variable = { $ref: '#/definitions/variable' }

/**
 * The JSON Schema of config.yml with its full keys, in lower case. It refuses what is no setting or of
 * another form; what settings need of each other, the services check. A secret has to name a variable.
 */
function toJsonSchema({ index }: Pick<SettingsSchema, 'index'>): Section {
  const root = newSection()
  for (const setting of index.settings) {
    const names = setting.key.split('.')
    const last = names.pop() ?? ''
    const section = names.reduce(childOf, root)
    section.properties[last] = leaf(setting)
  }
  return root
}

/** Settings whose port templates put into objects, which take no port 0 and no variable. */
const portsOfObjects = ['server.http_port', 'metrics.port', 'auth.listen', 'resource.listen']
const portOfObject = {
  minimum: 1,
  pattern: '(^|:)([1-9]\\d{0,3}|[1-5]\\d{4}|6[0-4]\\d{3}|65[0-4]\\d{2}|655[0-2]\\d|6553[0-5])$',
}

/** Further settings that templates read. What a variable holds, the process alone knows. */
const readByTemplates =
  /^(metrics\.host|authentication\.methods\.(\w+\.enabled|orchestrator\.audience))$/

/** Secrets for which the chart has values of their own. */
const secretsOfChart = [
  'internal.secret',
  'internal.assertion_key',
  'changes.key',
  'db.url',
  'db.direct_url',
  'db.owner_url',
  'cache.redis.url',
  'authentication.methods.token.bootstrap.token',
]

/**
 * @param source the text of deploy/helm/values.schema.yml
 * @returns that of values.schema.json, with `config` and the keys of `secretSettings`
 */
export function toValuesSchema(schema: Pick<SettingsSchema, 'index'>, source: string): string {
  const values = parse(source)
  const { properties, ...config } = toJsonSchema(schema)
  // The older name of metrics.host and metrics.port, which the chart reads.
  const { health: _, ...sections } = properties
  values.properties.config = { ...config, properties: sections }
  values.definitions.variable = variableText
  values.definitions.secretSetting = { type: 'string', pattern: secretKeys(schema) }
  return `${JSON.stringify(values, null, 2)}\n`
}

function secretKeys({ index }: Pick<SettingsSchema, 'index'>): string {
  const keys = index.settings
    .filter(({ isSecret, key }) => isSecret && !secretsOfChart.includes(key))
    .map(({ key }) => key.replaceAll('.', '\\.').replace(anyName, '[a-z0-9_-]{1,64}'))
  return `^(${keys.join('|')})$`
}

function leaf({ key, description, isMap, isSecret, input }: Setting): unknown {
  if (isSecret) return { description, ...variableText }
  if (portsOfObjects.includes(key)) return { description, allOf: [input, portOfObject] }
  if (readByTemplates.test(key)) return { description, ...input, not: variable }
  if (isMap) return { description, ...input }
  return { description, ...orVariable({ ...input }) }
}

/** Also takes a variable in the place of the value, or of an item of a list. */
function orVariable({ items, ...input }: JsonSchema): JsonSchema {
  if (items === undefined) return { anyOf: [input, variable] }
  return { anyOf: [{ ...input, items: orVariable(items as JsonSchema) }, variable] }
}

function childOf(parent: Section, name: string): Section {
  if (name !== anyName) {
    parent.properties[name] ??= newSection()
    return parent.properties[name] as Section
  }
  parent.propertyNames ??= { pattern: '^[A-Za-z0-9_-]{1,64}$' }
  if (parent.additionalProperties === false) parent.additionalProperties = newSection()
  return parent.additionalProperties as Section
}

function newSection(): Section {
  return { type: 'object', additionalProperties: false, properties: {} }
}
