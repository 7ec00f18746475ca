import { isDeepStrictEqual } from 'node:util'
import { z } from 'zod'
import { readConfigFile } from './config-file.ts'
import { findConfigFile, systemConfigFiles } from './config-file-path.ts'
import { findConflicts } from './conflicts.ts'
import { type Environment, readConventions, readEnvironment } from './environment.ts'
import { type Found, type Given, problemAt, SettingsError } from './problems.ts'
import { Secret } from './secret.ts'
import { allSettings, type Setting, settingByKey } from './setting-keys.ts'
import { type Settings, settingsSchema } from './settings.ts'

export { SettingsError } from './problems.ts'
export type { Settings } from './settings.ts'

/** Line 10 comes after line 9. */
const inOrder = new Intl.Collator('en', { numeric: true })

type GivenBySetting = ReadonlyMap<Setting, Given>

export interface SettingsSources {
  /** What follows the name of the program. Only `--config` is read from it. */
  readonly argv: readonly string[]
  readonly env: Environment
  /** Whether a person reads the log as it is written. */
  readonly isTerminal: boolean
  /** Where to look when no file was asked for and the user has none. */
  readonly systemFiles?: readonly string[]
}

export interface LoadedSettings {
  readonly settings: Settings
  /** The file that was read; `undefined` when there was none. */
  readonly source: string | undefined
}

/**
 * Defaults, then the file, then the environment: the later wins.
 *
 * @throws {SettingsError} with everything that is wrong, one line each, and no value in any
 */
export function loadSettings(sources: SettingsSources): LoadedSettings {
  const { argv, env, isTerminal, systemFiles = systemConfigFiles } = sources
  const file = findConfigFile(argv, env, systemFiles)
  const fromFile = typeof file === 'object' ? readConfigFile(file, env) : noFile(file)
  const found = [fromTerminal(isTerminal), fromFile, readConventions(env), readEnvironment(env)]
  const problems = found.flatMap((source) => [...source.problems, ...findContradictions(source)])
  const given = new Map(
    found.flatMap((source) => source.given.map((one) => [one.setting, one] as const)),
  )

  const parsed = settingsSchema.safeParse(toTree(settingsSchema, given))
  if (!parsed.success) problems.push(...parsed.error.issues.map((issue) => toProblem(issue, given)))
  else problems.push(...conflictProblems(parsed.data, given))
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

function fromTerminal(isTerminal: boolean): Found {
  const setting = settingByKey.get('log.encoding')
  if (setting === undefined) return noFile(undefined)
  const value = isTerminal ? 'console' : 'json'
  return { given: [{ setting, key: setting.key, value, where: '', remedy: '' }], problems: [] }
}

/** One source that gives one setting twice. Under two names it may, if it says the same. */
function findContradictions({ given }: Found): string[] {
  return given.flatMap((second, i) => {
    const first = given.slice(0, i).find(({ setting }) => setting === second.setting)
    if (first === undefined) return []
    const isSame = first.key !== second.key && isDeepStrictEqual(first.value, second.value)
    const wrong = `${second.key} is given by ${first.where} as well`
    return isSame ? [] : [problemAt(second.where, wrong, 'Keep one of the two')]
  })
}

function toTree(section: z.ZodObject, given: GivenBySetting): object {
  const entries = Object.entries(section.shape).map(([name, child]) => {
    if (child instanceof z.ZodObject) return [name, toTree(child, given)] as const
    const setting = allSettings.find(({ schema }) => schema === child)
    return [name, setting && given.get(setting)?.value] as const
  })
  return Object.fromEntries(entries)
}

function toProblem(issue: z.core.$ZodIssue, given: GivenBySetting): string {
  const setting = allSettings.find(({ path }) => path.every((name, i) => name === issue.path[i]))
  const one = setting && given.get(setting)
  // Nothing that was not given can be refused: defaults are valid, which a test holds.
  if (one === undefined) return issue.message
  const item = issue.path[one.setting.path.length]
  const index = typeof item === 'number' ? item : undefined
  const where = index === undefined ? undefined : one.whereItems?.[index]
  const key = index === undefined ? one.key : `${one.key}[${index}]`
  return problemAt(where ?? one.where, `${key} ${issue.message}`, one.remedy)
}

function conflictProblems(settings: Settings, given: GivenBySetting): string[] {
  return findConflicts(settings).map(({ key, wrong, remedy }) => {
    const setting = settingByKey.get(key)
    const one = setting && given.get(setting)
    return problemAt(one?.where ?? 'settings', `${one?.key ?? key} ${wrong}`, remedy)
  })
}

function freeze<T>(value: T): T {
  if (typeof value !== 'object' || value === null || value instanceof Secret) return value
  for (const child of Object.values(value)) freeze(child)
  return Object.freeze(value)
}
