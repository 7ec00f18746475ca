import type { Setting } from './setting-index.ts'

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

/** What a source has: values, and a line for everything that cannot be one. */
export type Found = Iterable<Given | string>

/** @param sentences what is wrong and what to do about it; never with a value in them */
export function problemAt(where: string, ...sentences: readonly string[]): string {
  return `${where}  ${sentences.map((sentence) => `${sentence}.`).join(' ')}`
}
