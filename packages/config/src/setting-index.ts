import { z } from 'zod'

/** One leaf of the schema, with its names. */
export interface Setting {
  /** As in the file: `server.http_port`; `<name>` stands for a name that the operator chooses. */
  readonly key: string
  /** Where the schema has it: `['server', 'httpPort']`; also with `<name>`. */
  readonly path: readonly string[]
  /**
   * `SVC_SERVER_HTTP_PORT`, with `<NAME>` for such a name and `<KEY>` for that of a map's entry.
   * A map below a `<name>` has none: where the name ends could not be told.
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
}

/** A setting by the name of a variable. */
export interface Variable {
  readonly setting: Setting
  readonly key: string
  /** Whether the variable names a file that holds the value. */
  readonly isFile: boolean
}

/** Stands for a name that the operator chooses. */
export const anyName = '<name>'

/** The specification names some settings by their last words only. */
const shortNames = [
  ['bootstrap', 'authentication.methods.token.bootstrap'],
  ['token.cleanup', 'authentication.methods.token.cleanup'],
] as const

/** The settings of a schema by their names in a file. */
export class SettingIndex {
  readonly settings: readonly Setting[]
  /** Every key and section that may be written, short ones as well, with `<name>` for a name. */
  readonly keys: readonly string[]
  readonly sections: ReadonlySet<string>
  /** By the names of `SVC_` variables; those of maps and below `<name>` are not listed. */
  readonly variables: ReadonlyMap<string, Variable>
  readonly #byKey: ReadonlyMap<string, Setting>
  readonly #named: readonly string[]
  /** Sections of which another service reads more than this one does. */
  readonly #open: readonly string[]

  constructor(schema: z.ZodObject) {
    this.settings = [...leaves(schema, [])]
    this.#byKey = new Map(this.settings.map((setting) => [setting.key, setting]))
    this.#open = [...openSections(schema, [])]
    this.keys = [...this.#byKey.keys()].flatMap((key) => [key, ...shortKeys(key)])
    const short = shortNames.map(([short]) => short)
    this.sections = new Set([...this.keys, ...short].flatMap(parentsOf))
    this.#named = [...this.sections].filter((key) => key.endsWith(`.${anyName}`))
    this.variables = new Map(this.keys.flatMap((key) => [...this.#variablesOf(key)]))
  }

  /** @returns the setting, with the name in the place of `<name>` */
  find(key: string): Setting | undefined {
    const long = longKey(key)
    const { template, name } = this.#takeApart(long)
    const setting = this.#byKey.get(template)
    if (setting === undefined || name === undefined) return setting
    return {
      ...setting,
      key: long,
      path: setting.path.map((part) => (part === anyName ? name : part)),
      variable: setting.variable?.replace('<NAME>', name.toUpperCase().replaceAll('-', '_')),
    }
  }

  isSection(key: string): boolean {
    return this.sections.has(key) || this.sections.has(this.#takeApart(key).template)
  }

  /** @returns what a key could have been meant to be, with the name that it has */
  namesFor(key: string): string[] {
    const { name = anyName } = this.#takeApart(key)
    return [...this.keys, ...this.sections].map((known) => known.replace(anyName, name))
  }

  /** Whether the key belongs to another service, which reports what is wrong with it. */
  isOpen(key: string): boolean {
    return this.#open.some((section) => longKey(key).startsWith(`${section}.`))
  }

  isOpenVariable(name: string): boolean {
    const short = shortNames.map(([short]) => short).filter((key) => this.isOpen(key))
    return [...this.#open, ...short].some((key) => name.startsWith(`${variableOf(key)}_`))
  }

  *#variablesOf(key: string): Generator<[string, Variable]> {
    const setting = this.find(key)
    if (setting === undefined || setting.isMap || key.includes(anyName)) return
    yield [variableOf(key), { setting, key, isFile: false }]
    if (setting.isSecret) yield [`${variableOf(key)}_FILE`, { setting, key, isFile: true }]
  }

  /** Splits a key below a name of the operator's choice. */
  #takeApart(key: string): { template: string; name?: string } {
    for (const named of this.#named) {
      const parent = named.slice(0, -anyName.length)
      if (!key.startsWith(parent)) continue
      const [name = '', ...rest] = key.slice(parent.length).split('.')
      if (/^[a-z0-9_-]{1,64}$/.test(name)) return { template: [named, ...rest].join('.'), name }
    }
    return { template: key }
  }
}

export function variableOf(key: string): string {
  return `SVC_${key.toUpperCase().replaceAll('.', '_')}`
}

function shortKeys(key: string): string[] {
  return shortNames
    .filter(([, long]) => key.startsWith(`${long}.`))
    .map(([short, long]) => short + key.slice(long.length))
}

function longKey(key: string): string {
  const found = shortNames.find(([short]) => `${key}.`.startsWith(`${short}.`))
  return found === undefined ? key : found[1] + key.slice(found[0].length)
}

function parentsOf(key: string): string[] {
  const words = key.split('.')
  return words.slice(1).map((_, i) => words.slice(0, i + 1).join('.'))
}

function keyOf(path: readonly string[]): string {
  return path.join('.').replace(/[A-Z]/g, (capital) => `_${capital.toLowerCase()}`)
}

function* leaves(schema: z.ZodObject, parents: readonly string[]): Generator<Setting> {
  for (const [name, child] of Object.entries(schema.shape)) {
    const path = [...parents, name]
    const section = child instanceof z.ZodType ? child.meta()?.section : undefined
    if (child instanceof z.ZodObject) yield* leaves(child, path)
    else if (section instanceof z.ZodObject) yield* leaves(section, [...path, anyName])
    else if (child instanceof z.ZodType) yield toSetting(child, path)
  }
}

function* openSections(schema: z.ZodObject, path: readonly string[]): Generator<string> {
  if (schema.meta()?.open === true) yield keyOf(path)
  for (const [name, child] of Object.entries(schema.shape)) {
    if (child instanceof z.ZodObject) yield* openSections(child, [...path, name])
  }
}

function toSetting(schema: z.ZodType, path: readonly string[]): Setting {
  const key = keyOf(path)
  const { description = '', secret, map, example } = schema.meta() ?? {}
  const isMap = map === true
  const variable = variableOf(key) + (isMap ? '_<KEY>' : '')
  return {
    key,
    path,
    variable: isMap && path.includes(anyName) ? undefined : variable,
    description,
    isSecret: secret === true,
    isMap,
    fallback: schema instanceof z.ZodPrefault ? schema.def.defaultValue : undefined,
    example,
  }
}
