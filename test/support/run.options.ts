import { existsSync, globSync } from 'node:fs'
import { join } from 'node:path'
import { invalidArgument } from '@svc/runtime'

export interface RunOptions {
  /** Whether to run what takes minutes too: `test/chaos`, and files named `*.slow.test.ts`. */
  readonly slow: boolean
  /** Files or folders, sources or compiled; none means all. */
  readonly paths: readonly string[]
}

export interface TestFile {
  /** What a person calls it, from the repository's root. */
  readonly source: string
  /** What Node.js runs, from there too. */
  readonly compiled: string
  readonly suite: Suite
}

/** `slow` takes minutes. `nightly` asserts figures against the clock, so it needs a quiet machine. */
export type Suite = 'usual' | 'slow' | 'nightly'

export function readRunOptions(args: readonly string[]): RunOptions {
  const unknown = args.find((arg) => arg.startsWith('-') && arg !== '--slow' && arg !== '--')
  if (unknown !== undefined) {
    throw invalidArgument(
      `${unknown} is not an option. Use: npm test -- [--slow] [file or folder …]`,
    )
  }
  const paths = args.filter((arg) => !arg.startsWith('-'))
  return { slow: args.includes('--slow'), paths }
}

const patterns = [
  '{packages,services}/*/src/**/*.test.ts',
  '{deploy/local,test/bench}/src/**/*.test.ts',
  'test/{support,contract,integration,e2e,chaos,nightly}/**/*.test.ts',
]

export function listTestFiles(root: string): TestFile[] {
  return globSync(patterns, { cwd: root }).sort().map(toTestFile)
}

/**
 * The test files that the options choose. They are looked up by their sources, for what is left in
 * `dist` of a test that is gone must not run.
 *
 * @throws {AppError} when a path names no test, or a test is not built
 */
export function findTestFiles(root: string, options: RunOptions): TestFile[] {
  const chosen = choose(listTestFiles(root), options)
  const missing = chosen.find(({ compiled }) => !existsSync(join(root, compiled)))
  if (missing !== undefined) throw invalidArgument(`${missing.source} is not built.`)
  return chosen
}

function choose(all: readonly TestFile[], { slow, paths }: RunOptions): TestFile[] {
  const suites: readonly Suite[] = slow ? ['usual', 'slow'] : ['usual']
  if (paths.length === 0) return all.filter(({ suite }) => suites.includes(suite))
  const chosen = new Set<TestFile>()
  for (const path of paths) {
    const wanted = path.replace(/^\.\//, '').replace(/\/$/, '')
    const found = all.filter(({ source, compiled }) =>
      [source, compiled].some((name) => name === wanted || name.startsWith(`${wanted}/`)),
    )
    if (found.length === 0) throw invalidArgument(`There is no test in ${path}.`)
    for (const file of found) chosen.add(file)
  }
  return [...chosen]
}

function suiteOf(source: string): Suite {
  if (source.startsWith('test/nightly/')) return 'nightly'
  return /^test\/chaos\/|\.slow\.test\.ts$/.test(source) ? 'slow' : 'usual'
}

function toTestFile(source: string): TestFile {
  const inDist = source.includes('/src/')
    ? source.replace('/src/', '/dist/')
    : source.replace('test/', 'test/dist/')
  return { source, compiled: inDist.replace(/\.ts$/, '.js'), suite: suiteOf(source) }
}
