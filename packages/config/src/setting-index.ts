import { z } from 'zod'

/** One leaf of the schema, with its names. */
export interface Setting {
  /** As in the file: `server.http_port`; `<name>` stands for a name that the operator chooses. */
  readonly key: string
  /** Where the schema has it: `['server', 'httpPort']`; also with `<name>`. */
  readonly path: readonly string[]
  /**
   * `SVC_SERVER_HTTP_PORT`, with `<NAME>` for such a name and `<KEY>` for that of a map's entry.
   * A map below a `<name>` has none: where the name ends would be ambiguous.
   */
  readonly variable: string | undefined
  readonly description: string
  readonly isSecret: boolean
  /** Whether it holds values by names of the operator's choice. */
  readonly isMap: boolean
  /** The default as an operator would write it; `undefined` when there is none or it depends. */
  readonly fallback: unknown
  /** What documents show when there is no fixed default. */
  readonly example: unknown
  /** The JSON Schema of its value in a file. None for a secret. */
  readonly input: object | undefined
}

/** What an environment variable is for. */
export interface Variable {
  readonly setting: Setting
  /** The key that it spells, which may be a short one. */
  readonly key: string
  /** Whether it names a file that holds the value. */
  readonly isFile: boolean
  /** The name of a map's entry, in capitals. */
  readonly entry: string | undefined
}

/** Stands for a name that the operator chooses. */
export const anyName = '<name>'

/** The specification names some settings by their last words only. */
const shortNames = [
  ['bootstrap', 'authentication.methods.token.bootstrap'],
  ['token.cleanup', 'authentication.methods.token.cleanup'],
] as const

/** The settings of a schema by their names in the file and in the environment. */
export class SettingIndex {
  readonly settings: readonly Setting[]
  /** By every key that may be written, also short ones. */
  readonly #byKey: ReadonlyMap<string, Setting>
  readonly #sections: ReadonlySet<string>
  /** Matches a key below a name of the operator's choice: the section, and the name. */
  readonly #named: RegExp
  readonly #open: readonly string[]
  /** Patterns of variables by key, the longest first: it is the most specific. */
  readonly #variables: readonly (readonly [key: string, pattern: RegExp])[]

  /** @param open sections of which another service reads more than this one does */
  constructor(schema: z.ZodObject, open: readonly string[]) {
    this.settings = [...leaves(schema, [])]
    this.#byKey = new Map(
      this.settings.flatMap((setting) => spellingsOf(setting.key).map((key) => [key, setting])),
    )
    const keys = [...this.#byKey.keys()]
    const short = shortNames.map(([short]) => short)
    this.#sections = new Set([...keys, ...short].flatMap(parentsOf))
    const named = [...this.#sections].filter((key) => key.endsWith(`.${anyName}`))
    const parents = named.map((key) => key.slice(0, -anyName.length - 1)).join('|')
    this.#named = new RegExp(`^(${parents})\\.([a-z0-9_-]{1,64})(?=\\.|$)`)
    const isOpen = (key: string) => open.some((section) => key.startsWith(`${section}.`))
    this.#open = [...open, ...shortNames.filter(([, long]) => isOpen(long)).map(([short]) => short)]
    this.#variables = [...this.#byKey]
      .filter(([, { variable }]) => variable !== undefined)
      .map(([key, setting]) => [key, patternOf(key, setting)] as const)
      .toSorted(([a], [b]) => b.length - a.length)
  }

  /** @returns the setting, with the name in the place of `<name>` */
  find(key: string): Setting | undefined {
    const setting = this.#byKey.get(this.#templateOf(key))
    const name = this.#named.exec(key)?.[2]
    if (setting === undefined || name === undefined) return setting
    return {
      ...setting,
      key,
      path: setting.path.map((part) => (part === anyName ? name : part)),
      variable: setting.variable?.replace('<NAME>', name.toUpperCase().replaceAll('-', '_')),
    }
  }

  /** @param given the keys of another source: `MY_ACCOUNTS` is `my-accounts` if only that is given */
  findVariable(variable: string, given: readonly string[] = []): Variable | undefined {
    for (const [template, pattern] of this.#variables) {
      const match = pattern.exec(variable)
      if (match === null) continue
      const { name = anyName, entry, file } = match.groups ?? {}
      const key = this.#spell(template.replace(anyName, name.toLowerCase()), given)
      const setting = this.find(key)
      if (setting) return { setting, key, entry, isFile: file !== undefined }
    }
    return undefined
  }

  isSection(key: string): boolean {
    return this.#sections.has(this.#templateOf(key))
  }

  /** Whether the key or variable belongs to another service, which reports what is wrong with it. */
  isOpen(name: string): boolean {
    return name.startsWith('SVC_')
      ? this.#open.some((section) => name.startsWith(`${variableOf(section)}_`))
      : this.#open.some((section) => `${name}.`.startsWith(`${section}.`))
  }

  isKnown(name: string): boolean {
    if (this.isOpen(name) || this.isSection(name)) return true
    return (this.find(name) ?? this.findVariable(name)) !== undefined
  }

  /** @returns what a key or variable could have been meant to be, with the name that it has */
  namesFor(name: string): string[] {
    if (!name.startsWith('SVC_')) {
      const own = this.#named.exec(name)?.[2] ?? anyName
      return [...this.#byKey.keys(), ...this.#sections].map((known) => known.replace(anyName, own))
    }
    const fixed = [...this.#byKey].filter(([key, { isMap }]) => !isMap && !key.includes(anyName))
    return fixed.flatMap(([key, { isSecret }]) => {
      const variable = variableOf(key)
      return isSecret ? [variable, `${variable}_FILE`] : [variable]
    })
  }

  /** Shells set no variable with a hyphen. Which of several names is meant is not guessed. */
  #spell(key: string, given: readonly string[]): string {
    const sectionOf = (key: string) => this.#named.exec(key)?.[0]
    const section = sectionOf(key)
    if (section === undefined) return key
    const sections = new Set(given.flatMap((one) => sectionOf(one) ?? []))
    const meant = [...sections].filter((one) => one.replaceAll('-', '_') === section)
    return meant.length === 1 ? meant[0] + key.slice(section.length) : key
  }

  #templateOf(key: string): string {
    return key.replace(this.#named, `$1.${anyName}`)
  }
}

function patternOf(key: string, { isMap, isSecret }: Setting): RegExp {
  const name = variableOf(key).replace('<NAME>', '(?<name>[\\w-]{1,64}|<NAME>)')
  return new RegExp(`^${name}${isMap ? '_(?<entry>.*)' : ''}${isSecret ? '(?<file>_FILE)?' : ''}$`)
}

function variableOf(key: string): string {
  return `SVC_${key.toUpperCase().replaceAll('.', '_')}`
}

/** @returns the key, and the short one for it if there is one */
function spellingsOf(key: string): string[] {
  const short = shortNames.filter(([, long]) => key.startsWith(`${long}.`))
  return [key, ...short.map(([short, long]) => short + key.slice(long.length))]
}

function parentsOf(key: string): string[] {
  const words = key.split('.')
  return words.slice(1).map((_, i) => words.slice(0, i + 1).join('.'))
}

function* leaves(schema: z.ZodObject, parents: readonly string[]): Generator<Setting> {
  for (const [name, child] of Object.entries(schema.shape)) {
    if (!(child instanceof z.ZodType)) continue
    const path = [...parents, name]
    const section = child.meta()?.section
    if (child instanceof z.ZodObject) yield* leaves(child, path)
    else if (section instanceof z.ZodObject) yield* leaves(section, [...path, anyName])
    else yield toSetting(child, path)
  }
}

function toSetting(schema: z.ZodType, path: readonly string[]): Setting {
  const key = path.join('.').replace(/[A-Z]/g, (capital) => `_${capital.toLowerCase()}`)
  const { description = '', secret, map, example } = schema.meta() ?? {}
  const isMap = map === true
  const variable = variableOf(key) + (isMap ? '_<KEY>' : '')
  return {
    ...{ key, path, description, isMap, example },
    variable: isMap && path.includes(anyName) ? undefined : variable,
    isSecret: secret === true,
    input: secret === true ? undefined : inputOf(schema),
    fallback: schema instanceof z.ZodPrefault ? schema.def.defaultValue : undefined,
  }
}

/** What its kind says that it takes. */
function inputOf(schema: z.ZodType): object {
  const { input } = schema.meta() ?? {}
  if (typeof input === 'object' && input !== null) return input
  if (schema instanceof z.ZodPrefault || schema instanceof z.ZodOptional) {
    const inner = schema.unwrap()
    if (inner instanceof z.ZodType) return inputOf(inner)
  }
  throw new TypeError('a setting has a kind that does not say what it takes')
}
