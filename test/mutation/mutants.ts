import { readFileSync } from 'node:fs'
import { parse } from 'yaml'

/** One deliberate weakening of the checks that decide who may do what. */
export interface Mutant {
  /** What is no longer so. */
  readonly name: string
  /** The source that it is in. */
  readonly file: string
  /** What that was compiled to, and what is changed. */
  readonly compiled: string
  /** Stands there exactly once. */
  readonly from: string
  readonly to: string
  /** One of these has to fail. */
  readonly tests: readonly string[]
}

interface Group extends Pick<Mutant, 'file' | 'tests'> {
  readonly mutants: Readonly<Record<string, Pick<Mutant, 'from' | 'to'>>>
}

/** This file is test/dist/mutation/mutants.js. */
const file = new URL('../../mutation/mutants.yml', import.meta.url)

const groups: readonly Group[] = parse(readFileSync(file, 'utf8'))

export const mutants: readonly Mutant[] = groups.flatMap(({ file, tests, mutants }) =>
  Object.entries(mutants).map(([name, change]) => ({
    name,
    file,
    compiled: file.replace('/src/', '/dist/').replace(/\.ts$/, '.js'),
    tests,
    ...change,
  })),
)
