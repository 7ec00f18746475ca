import { isDeepStrictEqual } from 'node:util'
import { Secret, SettingsError } from '@svc/runtime'
import type { z } from 'zod'
import { readConfigFile } from './config-file.ts'
import { findConfigFile, systemConfigFiles } from './config-file-path.ts'
import { type Environment, readConventions, readEnvironment } from './environment.ts'
import { type Found, type Given, problemAt } from './problems.ts'
import type { Settings, SettingsSchema } from './schema.ts'
import { anyName, type SettingIndex } from './setting-index.ts'

/** Line 10 comes after line 9. */
const inOrder = new Intl.Collator('en', { numeric: true })

/** By the key that is not short. */
type GivenByKey = ReadonlyMap<string, Given>

export interface SettingsSources {
  /** What follows the name of the program. Only `--config` is read from it. */
  readonly argv: readonly string[]
  readonly env: Environment
  /** Whether the log goes to a terminal. */
  readonly isTerminal: boolean
  /** Where to look when no file is named and the user's directory has none. */
  readonly systemFiles?: readonly string[]
}

export interface LoadedSettings<S extends Settings = Settings> {
  readonly settings: S
  /** The file that was read; `undefined` when there was none. */
  readonly source: string | undefined
}

/**
 * Defaults, then the file, then the environment: the later takes precedence.
 *
 * @throws {SettingsError} with everything that is wrong, one line each, and no value in any
 */
export function loadSettings<S extends Settings>(
  schema: SettingsSchema<S>,
  sources: SettingsSources,
): LoadedSettings<S> {
  const { argv, env, isTerminal, systemFiles = systemConfigFiles } = sources
  const { index } = schema
  const file = findConfigFile(argv, env, systemFiles)
  const fromFile = typeof file === 'object' ? readConfigFile(index, file, env) : noFile(file)
  const fromEnvironment = [readConventions(index, env), readEnvironment(index, env)]
  const found = [fromTerminal(index, isTerminal), fromFile, ...fromEnvironment]
  const problems = found.flatMap((source) => [...source.problems, ...findContradictions(source)])
  const given = new Map(
    found.flatMap((source) => source.given.map((one) => [one.setting.key, one] as const)),
  )

  const parsed = schema.type.safeParse(toTree(index, given))
  if (!parsed.success) problems.push(...parsed.error.issues.map((issue) => toProblem(issue, given)))
  else problems.push(...unmetRequirements(schema, parsed.data, given))
  if (problems.length > 0 || !parsed.success) {
    throw new SettingsError([...new Set(problems)].toSorted(inOrder.compare))
  }
  return {
    settings: freeze(parsed.data),
    source: typeof file === 'object' ? file.path : undefined,
  }
}

function noFile(problem: string | undefined): Found {
  return { given: [], problems: problem === undefined ? [] : [problem] }
}

function fromTerminal(index: SettingIndex, isTerminal: boolean): Found {
  const setting = index.find('log.encoding')
  if (setting === undefined) return noFile(undefined)
  const value = isTerminal ? 'console' : 'json'
  return { given: [{ setting, key: setting.key, value, where: '', remedy: '' }], problems: [] }
}

/** Refuses a setting that one source gives twice, but for the same value under both of its names. */
function findContradictions({ given }: Found): string[] {
  return given.flatMap((second, i) => {
    const first = given.slice(0, i).find((one) => one.setting.key === second.setting.key)
    if (first === undefined) return []
    const isSame = first.key !== second.key && isDeepStrictEqual(first.value, second.value)
    const wrong = `${second.key} is given by ${first.where} as well`
    return isSame ? [] : [problemAt(second.where, wrong, 'Keep one of the two')]
  })
}

type Tree = { [name: string]: unknown }

/** Every section is there: its defaults hold even if no source has it. */
function toTree({ settings }: SettingIndex, given: GivenByKey): Tree {
  const tree: Tree = Object.create(null)
  const sectionOf = (path: readonly string[]) =>
    path.slice(0, -1).reduce<Tree>((parent, part) => {
      const child = parent[part]
      if (isTree(child)) return child
      const made: Tree = Object.create(null)
      parent[part] = made
      return made
    }, tree)
  for (const { path } of settings) if (!path.includes(anyName)) sectionOf(path)
  for (const { setting, value } of given.values()) {
    sectionOf(setting.path)[setting.path.at(-1) ?? ''] = value
  }
  return tree
}

function isTree(value: unknown): value is Tree {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function toProblem(issue: z.core.$ZodIssue, given: GivenByKey): string {
  const one = [...given.values()].find(({ setting }) =>
    setting.path.every((part, i) => part === issue.path[i]),
  )
  // Only given values can be refused: the defaults are valid, which a test shows.
  if (one === undefined) return issue.message
  const item = issue.path[one.setting.path.length]
  const index = typeof item === 'number' ? item : undefined
  const where = index === undefined ? undefined : one.whereItems?.[index]
  const key = index === undefined ? one.key : `${one.key}[${index}]`
  return problemAt(where ?? one.where, `${key} ${issue.message}`, one.remedy)
}

function unmetRequirements<S extends Settings>(
  { requirements }: SettingsSchema<S>,
  settings: S,
  given: GivenByKey,
): string[] {
  const unmet = requirements(settings).filter(({ isMet }) => !isMet)
  return unmet.map(({ key, wrong, remedy }) => {
    const one = given.get(key)
    return problemAt(one?.where ?? 'settings', `${one?.key ?? key} ${wrong}`, remedy)
  })
}

function freeze<T>(value: T): T {
  if (typeof value !== 'object' || value === null || value instanceof Secret) return value
  for (const child of Object.values(value)) freeze(child)
  return Object.freeze(value)
}
