import { type Found, type Given, problemAt, suggest } from './problems.ts'
import { allSettings, anyName, type Setting, settingByKey, variableOf } from './setting-keys.ts'
import { readSmallFile, unreadable } from './small-file.ts'

export type Environment = Readonly<Record<string, string | undefined>>

interface Variable {
  readonly setting: Setting
  readonly key: string
  readonly name?: string
  readonly isFile: boolean
}

const variables: ReadonlyMap<string, Variable> = new Map(
  [...settingByKey].flatMap(([key, setting]) => {
    if (setting.isMap || isNamed(setting)) return []
    const name = variableOf(key)
    const own: [string, Variable] = [name, { setting, key, isFile: false }]
    const file: [string, Variable] = [`${name}_FILE`, { setting, key, isFile: true }]
    return setting.isSecret ? [own, file] : [own]
  }),
)

/** Each entry of a map has a variable of its own. */
const maps = [...settingByKey]
  .filter(([, setting]) => setting.isMap && !isNamed(setting))
  .map(([key, setting]) => ({ key, setting, prefix: `${variableOf(key)}_` }))

/** Settings of sections whose names the operator chooses, the longest endings first. */
const named = allSettings
  .filter(isNamed)
  .map((setting) => {
    const [prefix = '', suffix = ''] = setting.variable.split('<NAME>')
    return { setting, prefix, suffix: suffix.replace(/<KEY>$/, '') }
  })
  .toSorted((a, b) => b.suffix.length - a.suffix.length)

/** Names that hosting platforms set. They give way to our own. */
const conventions = new Map([
  ['PORT', 'server.http_port'],
  ['DATABASE_URL', 'db.url'],
  ['REDIS_URL', 'cache.redis.url'],
  ['LOG_LEVEL', 'log.level'],
])

/** The longest secret is a URL or a token of 4 KiB. */
const maxSecretBytes = 64 * 1024

/** Reads every `SVC_` variable; an empty one counts as not set. */
export function readEnvironment(env: Environment): Found {
  const given = [...readMaps(env), ...readNamedMaps(env)]
  const problems: string[] = []
  for (const [name, value = ''] of Object.entries(env).sort()) {
    const variable = variables.get(name) ?? findNamed(name)
    if (variable === undefined) {
      const isEntry = entryOf(name) !== undefined || maps.some((map) => name.startsWith(map.prefix))
      if (name.startsWith('SVC_') && !isEntry && !isForeign(name, value))
        problems.push(unknown(name))
    } else if (value !== '') {
      try {
        const text = variable.isFile ? readSecretFile(value) : value
        const { setting, key, name: chosen } = variable
        given.push({
          setting,
          key,
          name: chosen,
          value: text,
          where: name,
          remedy: `Correct or unset ${name}`,
        })
      } catch (error) {
        const wrong = `${variable.key} is to be read from a file that ${unreadable(error)}`
        problems.push(problemAt(name, wrong, `Correct or unset ${name}`))
      }
    }
  }
  return { given, problems }
}

function readMaps(env: Environment): Given[] {
  return maps.flatMap(({ key, setting, prefix }) => {
    const names = Object.keys(env).filter((name) => name.startsWith(prefix) && env[name])
    const [where] = names.sort()
    if (where === undefined) return []
    const entries = names.map((name) => [name.slice(prefix.length).toLowerCase(), env[name]])
    const remedy = `Correct or unset what begins with ${prefix}`
    return [{ setting, key, value: Object.fromEntries(entries), where, remedy }]
  })
}

function isNamed({ key }: Setting): boolean {
  return key.includes(anyName)
}

function findNamed(variable: string): Variable | undefined {
  for (const { setting, prefix, suffix } of named) {
    if (setting.isMap || !variable.startsWith(prefix)) continue
    for (const ending of setting.isSecret ? [suffix, `${suffix}_FILE`] : [suffix]) {
      const name = variable.slice(prefix.length, -ending.length).toLowerCase()
      if (!variable.endsWith(ending) || name === '') continue
      return { setting, key: setting.key.replace(anyName, name), name, isFile: ending !== suffix }
    }
  }
  return undefined
}

/** An entry of a map in such a section. */
function entryOf(variable: string) {
  for (const { setting, prefix, suffix } of named) {
    if (!setting.isMap || !variable.startsWith(prefix)) continue
    const at = variable.indexOf(suffix, prefix.length + 1)
    const entry = variable.slice(at + suffix.length).toLowerCase()
    const name = variable.slice(prefix.length, at).toLowerCase()
    if (at > 0 && entry !== '') return { setting, name, entry }
  }
  return undefined
}

function readNamedMaps(env: Environment): Given[] {
  const found = new Map<string, { given: Given; entries: Record<string, string> }>()
  for (const [where, value = ''] of Object.entries(env).sort()) {
    const one = findNamed(where) === undefined && value !== '' ? entryOf(where) : undefined
    if (one === undefined) continue
    const { setting, name, entry } = one
    const key = setting.key.replace(anyName, name)
    const known = found.get(key)
    if (known !== undefined) known.entries[entry] = value
    else {
      const entries = { [entry]: value }
      const remedy = `Correct or unset ${where}`
      found.set(key, { entries, given: { setting, key, name, value: entries, where, remedy } })
    }
  }
  return [...found.values()].map(({ given }) => given)
}

export function readConventions(env: Environment): Found {
  const given = [...conventions].flatMap(([name, key]) => {
    const setting = settingByKey.get(key)
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
 * Names under our prefix that belong to others: those of the command line tool, of Compose and of
 * tests, and those that Kubernetes puts into every pod beside a Service named `svc` or `svc-…`.
 */
function isForeign(name: string, value: string): boolean {
  const ours = /^SVC_(?:BIND|CONFIG|GATEWAYS|PORT|TOKEN|URL|TEST_.*)$/
  const service = /^SVC_(?:.+_)?(?:SERVICE_HOST|SERVICE_PORT(?:_.+)?)$/
  const link = /^SVC_(?:.+_)?PORT_\d+_(?:TCP|UDP|SCTP)(?:_(?:PROTO|PORT|ADDR))?$/
  const isLink = /^SVC_.+_PORT$/.test(name) && /^(?:tcp|udp|sctp):\/\//.test(value)
  return ours.test(name) || service.test(name) || link.test(name) || isLink
}

function unknown(name: string): string {
  const plain = name.replace(/_FILE$/, '')
  if (variables.has(plain)) {
    return problemAt(name, 'is not a setting: only secrets are read from files', `Set ${plain}`)
  }
  const usual = conventions.get(name.replace(/^SVC_/, ''))
  const hint = usual ? ` Did you mean "${variableOf(usual)}"?` : suggest(name, variables.keys())
  return problemAt(name, 'is not a setting') + (hint || ' Unset it.')
}
