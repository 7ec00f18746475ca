import { type Environment, readSmallFile, unreadable } from './files.ts'
import { type Found, problemAt } from './given.ts'
import type { SettingIndex, Variable } from './setting-index.ts'
import { suggest } from './suggest.ts'

/** Names that hosting platforms set. Our own take precedence. */
const conventions = {
  PORT: 'server.http_port',
  DATABASE_URL: 'db.url',
  REDIS_URL: 'cache.redis.url',
  LOG_LEVEL: 'log.level',
  OTEL_EXPORTER_OTLP_ENDPOINT: 'telemetry.otlp.endpoint',
  OTEL_EXPORTER_OTLP_HEADERS: 'telemetry.otlp.headers',
} as const

/** Maximum size of a secret's file: the longest secret is a URL or a token of 4 KiB. */
const maxSecretBytes = 64 * 1024

export function* readConventions(index: SettingIndex, env: Environment): Found {
  for (const [where, key] of Object.entries(conventions)) {
    const setting = index.find(key)
    const value = env[where]
    const remedy = `Correct ${where}, or set ${setting?.variable}, which goes before it`
    if (setting && value) yield { setting, key, value, where, remedy }
  }
}

/**
 * Reads every `SVC_` variable; an empty one counts as not set.
 *
 * @param given the keys that the other sources have
 */
export function* readEnvironment(
  index: SettingIndex,
  env: Environment,
  given: readonly string[],
): Found {
  for (const [where, value = ''] of Object.entries(env).sort()) {
    const variable = index.findVariable(where, given)
    if (variable !== undefined) {
      if (value !== '') yield* readVariable(where, value, variable, env)
    } else if (where.startsWith('SVC_') && !index.isOpen(where) && !isForeign(where, value)) {
      yield unknown(where, index)
    }
  }
}

function* readVariable(where: string, value: string, variable: Variable, env: Environment): Found {
  const { setting, key, isFile, entry } = variable
  const remedy = `Correct or unset ${where}`
  if (entry !== undefined) {
    yield* readMap(where, where.slice(0, where.length - entry.length), variable, env)
    return
  }
  try {
    yield { setting, key, where, remedy, value: isFile ? readSecretFile(value) : value }
  } catch (error) {
    yield problemAt(where, `${key} is to be read from a file that ${unreadable(error)}`, remedy)
  }
}

/** Each entry of a map has a variable of its own; the first one yields all. */
function* readMap(where: string, prefix: string, variable: Variable, env: Environment): Found {
  const { setting, key } = variable
  const names = Object.keys(env).filter((name) => name.startsWith(prefix) && env[name])
  if (names.sort()[0] !== where) return
  const entries = names.map((name) => [name.slice(prefix.length).toLowerCase(), env[name]])
  const remedy = `Correct or unset what begins with ${prefix}`
  yield { setting, key, where, remedy, value: Object.fromEntries(entries) }
}

/** Files made by hand end with a line break that is not part of the secret. */
function readSecretFile(path: string): string {
  return readSmallFile(path, maxSecretBytes).replace(/\r?\n$/, '')
}

/**
 * Whether a name under our prefix is none of a setting: it belongs to the command line tool, Compose, tests, the build
 * (the commit of an image), or Kubernetes, which sets some in every pod beside a Service named `svc` or `svc-…`.
 */
function isForeign(name: string, value: string): boolean {
  const ours = /^SVC_(?:BIND|CONFIG|GATEWAYS|NAMESPACE|PORT|REVISION|TOKEN|URL|TEST_.*)$/
  const service = /^SVC_(?:.+_)?(?:SERVICE_HOST|SERVICE_PORT(?:_.+)?)$/
  const link = /^SVC_(?:.+_)?PORT_\d+_(?:TCP|UDP|SCTP)(?:_(?:PROTO|PORT|ADDR))?$/
  const isLink = /^SVC_.+_PORT$/.test(name) && /^(?:tcp|udp|sctp):\/\//.test(value)
  return ours.test(name) || service.test(name) || link.test(name) || isLink
}

function unknown(name: string, index: SettingIndex): string {
  const plain = name.replace(/_FILE$/, '')
  if (plain !== name && index.findVariable(plain)) {
    return problemAt(name, 'is not a setting: only secrets are read from files', `Set ${plain}`)
  }
  return problemAt(name, 'is not a setting') + (suggest(name, index) || ' Unset it.')
}
