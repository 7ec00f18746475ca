import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { parse } from 'yaml'

/** The Go modules that hold what the API server, and the two extensions, say of their objects. */
const modules = {
  kubernetes: 'k8s.io/kubernetes@v1.35.4',
  gateway: 'sigs.k8s.io/gateway-api@v1.4.1',
  prometheus: 'github.com/prometheus-operator/prometheus-operator@v0.92.1',
} as const

const crds = [
  [modules.gateway, 'config/crd/standard/gateway.networking.k8s.io_httproutes.yaml'],
  ...['servicemonitors', 'prometheusrules'].map(
    (kind) =>
      [
        modules.prometheus,
        `example/prometheus-operator-crd/monitoring.coreos.com_${kind}.yaml`,
      ] as const,
  ),
] as const

interface Schema {
  readonly [key: string]: unknown
}

interface Kind {
  readonly group: string
  readonly version: string
  readonly kind: string
}

/**
 * A folder with a JSON Schema for each kind of object, strict: `deployment-apps-v1.json`. It is made once, of Go
 * modules, into the folder of the cluster's programs.
 *
 * @param programs where these are
 */
export async function kubernetesSchemas(programs: string): Promise<string> {
  const versions = Object.values(modules).map((name) => name.split('@')[1])
  const folder = join(programs, ['schemas', ...versions, crds.length].join('-'))
  if (existsSync(folder)) return folder
  const made = `${folder}.${process.pid}`
  await mkdir(made)
  const swagger = JSON.parse(await readModule(modules.kubernetes, 'api/openapi-spec/swagger.json'))
  for (const [name, definition] of Object.entries<Schema>(swagger.definitions)) {
    for (const kind of kindsOf(definition)) {
      await writeSchema(made, kind, closureOf(name, swagger.definitions))
    }
  }
  for (const [module, file] of crds) {
    const { spec } = parse(await readModule(module, file))
    for (const { name: version, schema } of spec.versions) {
      const kind = { group: spec.group, version, kind: spec.names.kind }
      const { properties, ...rest } = toStrict(schema.openAPIV3Schema) as Schema
      const members = { ...(properties as Schema), metadata: { type: 'object' } }
      await writeSchema(made, kind, { ...rest, properties: members })
    }
  }
  await rename(made, folder).catch(() => rm(made, { recursive: true }))
  return folder
}

/** @throws {Error} when there is neither the module nor a way to fetch it */
async function readModule(module: string, file: string): Promise<string> {
  const options = { env: { ...process.env, GOFLAGS: '-mod=mod' }, timeout: 120_000 }
  const { stdout } = await promisify(execFile)('go', ['mod', 'download', '-json', module], options)
  return readFile(join(JSON.parse(stdout).Dir, file), 'utf8')
}

/** By the name that kubeconform gives it: the first part of the group alone. */
async function writeSchema(folder: string, { group, version, kind }: Kind, schema: Schema) {
  const parts = [kind, group.split('.')[0], version].filter(Boolean)
  await writeFile(join(folder, `${parts.join('-').toLowerCase()}.json`), JSON.stringify(schema))
}

function kindsOf(definition: Schema): readonly Kind[] {
  const kinds = (definition['x-kubernetes-group-version-kind'] ?? []) as readonly Kind[]
  return kinds.length === 1 ? kinds : []
}

/** A definition, with all that it refers to. */
function closureOf(name: string, all: Readonly<Record<string, Schema>>): Schema {
  const definitions: Record<string, unknown> = {}
  const add = (name: string) => {
    if (name in definitions) return
    definitions[name] = toStrict(all[name])
    const text = JSON.stringify(definitions[name])
    for (const [, other = ''] of text.matchAll(/"#\/definitions\/([^"]+)"/g)) add(other)
  }
  add(name)
  return { $ref: `#/definitions/${name}`, definitions }
}

/** Refuses members that are not listed. */
function toStrict(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(toStrict)
  if (typeof value !== 'object' || value === null) return value
  const schema = value as Schema
  if (schema.format === 'int-or-string') return { type: ['integer', 'string'] }
  if (String(schema.description).startsWith('Quantity is')) return { type: ['number', 'string'] }
  const entries = Object.entries(schema).filter(([key]) => key !== 'description')
  const strict = Object.fromEntries(entries.map(([key, child]) => [key, toStrict(child)]))
  const isOpen =
    'additionalProperties' in schema || 'x-kubernetes-preserve-unknown-fields' in schema
  const isObject = typeof schema.properties === 'object' && schema.type === 'object'
  return isObject && !isOpen ? { ...strict, additionalProperties: false } : strict
}
