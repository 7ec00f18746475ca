import { z } from 'zod'

/** One leaf of the schema, with its names. */
export interface Setting {
  /** As in the file: `server.http_port`; `<name>` stands for a name that the operator chooses. */
  readonly key: string
  /** Where the schema has it: `['server', 'httpPort']`; also with `<name>`. */
  readonly path: readonly string[]
  /**
   * `SVC_SERVER_HTTP_PORT`, with `<NAME>` for such a name, and with `<KEY>` for that of a map's
   * entry. A map below a `<name>` has none: where the name ends could not be told.
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

/** Stands for a name that the operator chooses. */
export const anyName = '<name>'

/** The specification names some settings by their last words only. */
const shortNames = [
  ['bootstrap', 'authentication.methods.token.bootstrap'],
  ['token.cleanup', 'authentication.methods.token.cleanup'],
] as const

/** A key as it was written, taken apart. */
export interface WrittenKey {
  /** With `<name>` in the place of a name. */
  readonly template: string
  readonly name?: string
}

export type Tree = { [name: string]: unknown }

/** The settings of a schema by the names that a file and the environment have for them. */
export class SettingIndex {
  readonly settings: readonly Setting[]
  /** By every key that may be written in a file, with `<name>` for a name. */
  readonly byKey: ReadonlyMap<string, Setting>
  /** The keys that hold other keys. */
  readonly sections: ReadonlySet<string>
  /** Sections of which another service reads more than this one does. */
  readonly #open: readonly string[]
  readonly #named: readonly string[]
  readonly #schema: z.ZodObject

  constructor(schema: z.ZodObject) {
    this.#schema = schema
    this.settings = [...leaves(schema, [])]
    this.byKey = new Map(
      this.settings.flatMap((setting) => keysOf(setting).map((key) => [key, setting])),
    )
    const keys = [...this.byKey.keys(), ...shortNames.map(([short]) => short)]
    this.sections = new Set(keys.flatMap(parentsOf))
    this.#open = [...openSections(schema, [])]
    this.#named = [...this.sections].filter((key) => key.endsWith(`.${anyName}`))
  }

  /** Whether the key belongs to another service, which reports what is wrong with it. */
  isOpen(key: string): boolean {
    return this.#open.some((section) => longKey(key).startsWith(`${section}.`))
  }

  isOpenVariable(name: string): boolean {
    const sections = [
      ...this.#open,
      ...shortNames.map(([short]) => short).filter(this.isOpen, this),
    ]
    return sections.some((section) => name.startsWith(`${variableOf(section)}_`))
  }

  takeApart(key: string): WrittenKey {
    for (const named of this.#named) {
      const parent = named.slice(0, -anyName.length)
      if (!key.startsWith(parent)) continue
      const [name = '', ...rest] = key.slice(parent.length).split('.')
      if (/^[a-z0-9_-]{1,64}$/.test(name)) return { template: [named, ...rest].join('.'), name }
    }
    return { template: key }
  }

  /** Every section without a value: its defaults hold even if the file does not have it. */
  emptyTree(): Tree {
    return emptySections(this.#schema)
  }
}

/** The key with the name in its place. */
export function putTogether({ template, name }: WrittenKey): string {
  return name === undefined ? template : template.replace(anyName, name)
}

export function variableOf(key: string): string {
  return `SVC_${key.toUpperCase().replaceAll('.', '_')}`
}

function keysOf({ key }: Setting): string[] {
  const short = shortNames
    .filter(([, long]) => key.startsWith(`${long}.`))
    .map(([name, long]) => `${name}${key.slice(long.length)}`)
  return [key, ...short]
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

function emptySections(section: z.ZodObject): Tree {
  const entries = Object.entries(section.shape).flatMap(([name, child]) =>
    child instanceof z.ZodObject ? [[name, emptySections(child)] as const] : [],
  )
  return Object.fromEntries(entries)
}

function toSetting(schema: z.ZodType, path: readonly string[]): Setting {
  const key = keyOf(path)
  const { description = '', secret, map, example } = schema.meta() ?? {}
  const isMap = map === true
  const isBelowName = path.includes(anyName)
  const fallback = schema instanceof z.ZodPrefault ? schema.def.defaultValue : undefined
  const variable = variableOf(key) + (isMap ? '_<KEY>' : '')
  return {
    key,
    path,
    variable: isMap && isBelowName ? undefined : variable,
    description,
    isSecret: secret === true,
    isMap,
    fallback,
    example,
  }
}
