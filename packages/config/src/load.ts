import { isDeepStrictEqual } from 'node:util'
import { SettingsError } from '@svc/runtime'
import type { z } from 'zod'
import { readConfigFile } from './config-file.ts'
import { readConventions, readEnvironment } from './environment.ts'
import { findConfigFile, type SettingsSources } from './files.ts'
import { type Given, problemAt } from './given.ts'
import type { Requirement } from './requirements.ts'
import type { Settings, SettingsSchema } from './schema.ts'
import { anyName, type Setting } from './setting-index.ts'

/** Line 10 comes after line 9. */
const inOrder = new Intl.Collator('en', { numeric: true })

/** The older name of settings. It goes before them, but not before those of a later source. */
const olderNames: Readonly<Record<string, string>> = {
  'metrics.host': 'health.listen',
  'metrics.port': 'health.listen',
}

/** By the key that is not short. */
type GivenByKey = ReadonlyMap<string, Given>

/**
 * Defaults, then the file, then the environment: the later takes precedence.
 *
 * @returns the settings, and as `source` the path of the file that was read, if there was one
 * @throws {SettingsError} with everything that is wrong, one line each, and no value in any
 */
export function loadSettings<S extends Settings>(
  { index, type, requirements }: SettingsSchema<S>,
  sources: SettingsSources,
): { readonly settings: S; readonly source: string | undefined } {
  const { env } = sources
  const file = findConfigFile(sources)
  const problems: string[] = typeof file === 'string' ? [file] : []
  const given = new Map<string, Given>()
  for (const read of [
    () => (typeof file === 'object' ? readConfigFile(index, file, env) : []),
    () => readConventions(index, env),
    () => readEnvironment(index, env, [...given.keys()]),
  ]) {
    const parts = [...read()]
    const values = parts.filter((part) => typeof part === 'object')
    problems.push(...parts.filter((part) => typeof part === 'string'), ...contradictions(values))
    for (const { setting } of values) given.delete(olderNames[setting.key] ?? '')
    for (const value of values) given.set(value.setting.key, value)
  }
  const parsed = type.safeParse(toTree(index.settings, given))
  if (!parsed.success) problems.push(...parsed.error.issues.map((issue) => toProblem(issue, given)))
  else problems.push(...unmet(requirements(parsed.data), given))
  if (problems.length > 0 || !parsed.success) {
    throw new SettingsError([...new Set(problems)].toSorted(inOrder.compare))
  }
  return {
    settings: parsed.data,
    source: typeof file === 'object' ? file.path : undefined,
  }
}

/** Refuses a setting that one source gives twice, but for the same value under both of its names. */
function contradictions(given: readonly Given[]): string[] {
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
function toTree(settings: readonly Setting[], given: GivenByKey): Tree {
  // Without a prototype: an operator may call a section `__proto__`.
  const newTree = (): Tree => Object.create(null)
  const tree = newTree()
  const sectionOf = ({ path }: Setting) =>
    path.slice(0, -1).reduce((parent, name) => {
      parent[name] ??= newTree()
      return parent[name] as Tree
    }, tree)
  for (const setting of settings) if (!setting.path.includes(anyName)) sectionOf(setting)
  for (const { setting, value } of given.values()) {
    sectionOf(setting)[setting.path.at(-1) ?? ''] = value
  }
  return tree
}

function toProblem(issue: z.core.$ZodIssue, given: GivenByKey): string {
  const one = [...given.values()].find(({ setting }) =>
    setting.path.every((part, i) => part === issue.path[i]),
  )
  // Only given values can be refused: the defaults are valid, which a test shows.
  if (one === undefined) return issue.message
  const item = issue.path[one.setting.path.length]
  const [where, key] =
    typeof item === 'number'
      ? [one.whereItems?.[item], `${one.key}[${item}]`]
      : [undefined, one.key]
  return problemAt(where ?? one.where, `${key} ${issue.message}`, one.remedy)
}

function unmet(requirements: readonly Requirement[], given: GivenByKey): string[] {
  return requirements
    .filter(({ isMet }) => !isMet)
    .map(({ key, wrong, remedy }) => {
      const one = given.get(key)
      return problemAt(one?.where ?? 'settings', `${one?.key ?? key} ${wrong}`, remedy)
    })
}
