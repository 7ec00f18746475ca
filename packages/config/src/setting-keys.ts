import { z } from 'zod'
import { settingsSchema } from './settings.ts'

/** One leaf of the schema, with the names that people use for it. */
export interface Setting {
  /**
   * As in the file, for example `server.http_port`; with `<name>` in the place of a name that the
   * operator chooses.
   */
  readonly key: string
  /** Where the schema has it, for example `['server', 'httpPort']`; also with `<name>`. */
  readonly path: readonly string[]
  /**
   * For example `SVC_SERVER_HTTP_PORT`; with `<NAME>` for such a name, and of a map, that of an
   * entry, with `<KEY>` in it.
   */
  readonly variable: string
  readonly schema: z.ZodType
  readonly description: string
  readonly isSecret: boolean
  /** Whether it holds values by names that are not ours to list. */
  readonly isMap: boolean
  /** The default as one would write it; `undefined` when there is none or it depends. */
  readonly fallback: unknown
  /** Something to stand in documents when there is no fixed default. */
  readonly example: unknown
}

/** Stands for a name that the operator chooses. */
export const anyName = '<name>'

/** The specification names some settings by their last words only. */
const shortNames = [
  ['bootstrap', 'authentication.methods.token.bootstrap'],
  ['token.cleanup', 'authentication.methods.token.cleanup'],
] as const

export const allSettings: readonly Setting[] = [...leaves(settingsSchema, [])]

/** By every key that may be written in a file, with `<name>` for a name. */
export const settingByKey: ReadonlyMap<string, Setting> = new Map(
  allSettings.flatMap((setting) => keysOf(setting).map((key) => [key, setting])),
)

/** The keys that hold other keys. */
export const sectionKeys: ReadonlySet<string> = new Set(
  [...settingByKey.keys()].flatMap((key) => {
    const words = key.split('.')
    return words.slice(1).map((_, i) => words.slice(0, i + 1).join('.'))
  }),
)

/** A key as it was written, taken apart. */
export interface WrittenKey {
  /** With `<name>` in the place of a name. */
  readonly template: string
  readonly name?: string
}

const namedKeys = [...sectionKeys].filter((key) => key.endsWith(`.${anyName}`))

export function takeApart(key: string): WrittenKey {
  for (const named of namedKeys) {
    const parent = named.slice(0, -anyName.length)
    if (!key.startsWith(parent)) continue
    const [name = '', ...rest] = key.slice(parent.length).split('.')
    if (/^[a-z0-9_-]{1,64}$/.test(name)) return { template: [named, ...rest].join('.'), name }
  }
  return { template: key }
}

/** The key with the name in its place. */
export function putTogether({ template, name }: WrittenKey): string {
  return name === undefined ? template : template.replace(anyName, name)
}

/** The variable for a key. Keys have underscores of their own, so there is no way back but a look. */
export function variableOf(key: string): string {
  return `SVC_${key.toUpperCase().replaceAll('.', '_')}`
}

function keysOf({ key }: Setting): string[] {
  const short = shortNames
    .filter(([, long]) => key.startsWith(`${long}.`))
    .map(([name, long]) => `${name}${key.slice(long.length)}`)
  return [key, ...short]
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

function toSetting(schema: z.ZodType, path: readonly string[]): Setting {
  const key = path.join('.').replace(/[A-Z]/g, (capital) => `_${capital.toLowerCase()}`)
  const { description = '', secret, map, example } = schema.meta() ?? {}
  const isMap = map === true
  const fallback = schema instanceof z.ZodPrefault ? schema.def.defaultValue : undefined
  const variable = variableOf(key) + (isMap ? '_<KEY>' : '')
  const isSecret = secret === true
  return { key, path, variable, schema, description, isSecret, isMap, fallback, example }
}
