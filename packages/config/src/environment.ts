import { type Found, type Given, problemAt, suggest } from './problems.ts'
import { type SettingIndex, variableOf } from './setting-index.ts'
import { readSmallFile, unreadable } from './small-file.ts'
import { type Variable, VariableIndex } from './variables.ts'

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
  const variables = new VariableIndex(index)
  const given = readMaps(variables, env)
  const problems: string[] = []
  for (const [name, value = ''] of Object.entries(env).sort()) {
    const variable = variables.find(name)
    if (variable === undefined) {
      const isEntry = variables.maps.some(({ prefix }) => name.startsWith(prefix))
      const isOurs = name.startsWith('SVC_') && !isForeign(name, value)
      if (isOurs && !isEntry && !index.isOpenVariable(name))
        problems.push(unknown(name, index, variables))
    } else if (value !== '') {
      const read = readVariable(name, variable, value)
      if (typeof read === 'string') problems.push(read)
      else given.push(read)
    }
  }
  return { given, problems }
}

function readVariable(where: string, variable: Variable, value: string): Given | string {
  const { isFile, ...written } = variable
  const remedy = `Correct or unset ${where}`
  try {
    return { ...written, value: isFile ? readSecretFile(value) : value, where, remedy }
  } catch (error) {
    const wrong = `${variable.key} is to be read from a file that ${unreadable(error)}`
    return problemAt(where, wrong, remedy)
  }
}

/** Each entry of a map has a variable of its own. */
function readMaps({ maps }: VariableIndex, env: Environment): Given[] {
  return maps.flatMap(({ key, setting, prefix }) => {
    const names = Object.keys(env).filter((name) => name.startsWith(prefix) && env[name])
    const [where] = names.sort()
    if (where === undefined) return []
    const entries = names.map((name) => [name.slice(prefix.length).toLowerCase(), env[name]])
    const remedy = `Correct or unset what begins with ${prefix}`
    return [{ setting, key, value: Object.fromEntries(entries), where, remedy }]
  })
}

export function readConventions({ byKey }: SettingIndex, env: Environment): Found {
  const given = [...conventions].flatMap(([name, key]) => {
    const setting = byKey.get(key)
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

function unknown(name: string, index: SettingIndex, variables: VariableIndex): string {
  const plain = name.replace(/_FILE$/, '')
  if (plain !== name && variables.find(plain)) {
    return problemAt(name, 'is not a setting: only secrets are read from files', `Set ${plain}`)
  }
  const usual = conventions.get(name.replace(/^SVC_/, ''))
  const hint = usual
    ? ` Did you mean "${variableOf(usual)}"?`
    : suggest(name, index, variables.names)
  return problemAt(name, 'is not a setting') + (hint || ' Unset it.')
}
