import { type Found, type Given, problemAt, suggest } from './problems.ts'
import { anyName, type SettingIndex, type Variable, variableOf } from './setting-index.ts'
import { readSmallFile, unreadable } from './small-file.ts'

export type Environment = Readonly<Record<string, string | undefined>>

/** Names that hosting platforms set. Our own take precedence. */
const conventions = new Map([
  ['PORT', 'server.http_port'],
  ['DATABASE_URL', 'db.url'],
  ['REDIS_URL', 'cache.redis.url'],
  ['LOG_LEVEL', 'log.level'],
])

/** Maximum size of a secret's file: the longest secret is a URL or a token of 4 KiB. */
const maxSecretBytes = 64 * 1024

/** Reads every `SVC_` variable; an empty one counts as not set. */
export function readEnvironment(index: SettingIndex, env: Environment): Found {
  const maps = index.keys.filter((key) => !key.includes(anyName) && index.find(key)?.isMap)
  const given = maps.flatMap((key) => readMap(index, key, env))
  const problems: string[] = []
  for (const [name, value = ''] of Object.entries(env).sort()) {
    const variable = index.variables.get(name) ?? findNamed(index, name)
    if (variable !== undefined) {
      const read = value === '' ? [] : readVariable(name, variable, value)
      if (typeof read === 'string') problems.push(read)
      else given.push(...read)
    } else if (
      name.startsWith('SVC_') &&
      !maps.some((key) => name.startsWith(`${variableOf(key)}_`)) &&
      !index.isOpenVariable(name) &&
      !isForeign(name, value)
    ) {
      problems.push(unknown(name, index))
    }
  }
  return { given, problems }
}

/** Finds a setting below a name of the operator's choice: of several, that with the longest end. */
function findNamed(index: SettingIndex, variable: string): Variable | undefined {
  const found = index.settings.flatMap(({ key, variable: template, isSecret }) => {
    const [prefix = '', suffix] = template?.split('<NAME>') ?? []
    const isFile = isSecret && variable.endsWith(`${suffix}_FILE`)
    const end = isFile ? `${suffix}_FILE` : (suffix ?? '')
    const name = variable.slice(prefix.length, -end.length).toLowerCase()
    if (suffix === undefined || name === '') return []
    if (!variable.startsWith(prefix) || !variable.endsWith(end)) return []
    const named = key.replace(anyName, name)
    const setting = index.find(named)
    return setting === undefined ? [] : [{ setting, key: named, isFile, length: suffix.length }]
  })
  return found.toSorted((a, b) => b.length - a.length)[0]
}

function readVariable(
  where: string,
  { setting, key, isFile }: Variable,
  value: string,
): Given[] | string {
  const remedy = `Correct or unset ${where}`
  try {
    return [{ setting, key, value: isFile ? readSecretFile(value) : value, where, remedy }]
  } catch (error) {
    return problemAt(where, `${key} is to be read from a file that ${unreadable(error)}`, remedy)
  }
}

/** Each entry of a map has a variable of its own. */
function readMap(index: SettingIndex, key: string, env: Environment): Given[] {
  const prefix = `${variableOf(key)}_`
  const names = Object.keys(env).filter((name) => name.startsWith(prefix) && env[name])
  const [where] = names.sort()
  const setting = index.find(key)
  if (where === undefined || setting === undefined) return []
  const entries = names.map((name) => [name.slice(prefix.length).toLowerCase(), env[name]])
  const remedy = `Correct or unset what begins with ${prefix}`
  return [{ setting, key, value: Object.fromEntries(entries), where, remedy }]
}

export function readConventions(index: SettingIndex, env: Environment): Found {
  const given = [...conventions].flatMap(([name, key]) => {
    const setting = index.find(key)
    const value = env[name]
    if (!setting || !value) return []
    const remedy = `Correct ${name}, or set ${setting.variable}, which goes before it`
    return [{ setting, key, value, where: name, remedy }]
  })
  return { given, problems: [] }
}

/** Files made by hand end with a line break that is not part of the secret. */
function readSecretFile(path: string): string {
  return readSmallFile(path, maxSecretBytes).replace(/\r?\n$/, '')
}

/**
 * Whether a name under our prefix belongs to another program: the command line tool, Compose, tests,
 * or Kubernetes, which sets some in every pod beside a Service named `svc` or `svc-…`.
 */
function isForeign(name: string, value: string): boolean {
  const ours = /^SVC_(?:BIND|CONFIG|GATEWAYS|PORT|TOKEN|URL|TEST_.*)$/
  const service = /^SVC_(?:.+_)?(?:SERVICE_HOST|SERVICE_PORT(?:_.+)?)$/
  const link = /^SVC_(?:.+_)?PORT_\d+_(?:TCP|UDP|SCTP)(?:_(?:PROTO|PORT|ADDR))?$/
  const isLink = /^SVC_.+_PORT$/.test(name) && /^(?:tcp|udp|sctp):\/\//.test(value)
  return ours.test(name) || service.test(name) || link.test(name) || isLink
}

function unknown(name: string, index: SettingIndex): string {
  const plain = name.replace(/_FILE$/, '')
  if (plain !== name && (index.variables.has(plain) || findNamed(index, plain))) {
    return problemAt(name, 'is not a setting: only secrets are read from files', `Set ${plain}`)
  }
  const usual = conventions.get(name.replace(/^SVC_/, ''))
  const hint = usual
    ? ` Did you mean "${variableOf(usual)}"?`
    : suggest(name, index, index.variables.keys())
  return problemAt(name, 'is not a setting') + (hint || ' Unset it.')
}
