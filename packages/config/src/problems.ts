import { findAlias } from './aliases.ts'
import { findNearest } from './nearest.ts'
import type { Setting, SettingIndex } from './setting-index.ts'

/** A value for a setting, and where it was found. */
export interface Given {
  readonly setting: Setting
  /** The key as it was written, which may be a short name. */
  readonly key: string
  readonly value: unknown
  /** `file:line:column`, or the name of a variable. */
  readonly where: string
  /** The same for each item of a list. */
  readonly whereItems?: readonly string[]
  /** What to do if the value is refused. */
  readonly remedy: string
}

/** What one source of settings has. */
export interface Found {
  readonly given: readonly Given[]
  readonly problems: readonly string[]
}

/** @param sentences what is wrong and what to do about it; never with a value in them */
export function problemAt(where: string, ...sentences: readonly string[]): string {
  return `${where}  ${sentences.map((sentence) => `${sentence}.`).join(' ')}`
}

/** @returns the sentence `Did you mean …?` as a suffix, or nothing when no name is near */
export function suggest(name: string, index: SettingIndex, known: Iterable<string>): string {
  const meant = findAlias(name, index) ?? findNearest(name, known)
  return meant === undefined ? '' : ` Did you mean "${meant}"?`
}
