import { existsSync, globSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { invalidArgument } from '@svc/runtime'

export interface RunOptions {
  /** Whether to run what takes minutes too: `test/chaos`, and files named `*.slow.test.ts` or `*.chromium.test.ts`. */
  readonly slow: boolean
  /** Whether to run only the tests beside the code that need no server. */
  readonly unit: boolean
  /** Files or folders, sources or compiled; none means all. */
  readonly paths: readonly string[]
}

export interface TestFile {
  /** What a person calls it, from the repository's root. */
  readonly source: string
  /** What Node.js runs, from there too. */
  readonly compiled: string
  readonly suite: Suite
  /** Stands beside the code and needs no database, no Redis and no process of its own. */
  readonly isUnit: boolean
  /** May run in one process with others. */
  readonly isShared: boolean
}

/**
 * `slow` takes minutes. `nightly` asserts figures against the clock, so it needs a quiet machine. `kubernetes` needs a
 * cluster, which test/kubernetes/main.ts starts.
 */
export type Suite = 'usual' | 'slow' | 'nightly' | 'kubernetes'

export function readRunOptions(args: readonly string[]): RunOptions {
  const options = ['--slow', '--unit', '--']
  const unknown = args.find((arg) => arg.startsWith('-') && !options.includes(arg))
  if (unknown !== undefined) {
    throw invalidArgument(
      `${unknown} is not an option. Use: npm test -- [--slow | --unit] [file or folder …]`,
    )
  }
  const paths = args.filter((arg) => !arg.startsWith('-'))
  return { slow: args.includes('--slow'), unit: args.includes('--unit'), paths }
}

const patterns = [
  '{packages,services}/*/src/**/*.test.ts',
  '{deploy/local,deploy/npm,test/bench}/src/**/*.test.ts',
  'test/{support,contract,integration,e2e,chaos,interface,kubernetes,nightly}/**/*.test.ts',
]

export function listTestFiles(root: string): TestFile[] {
  return globSync(patterns, { cwd: root })
    .sort()
    .map((source) => toTestFile(root, source))
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

function choose(all: readonly TestFile[], { slow, unit, paths }: RunOptions): TestFile[] {
  if (unit) return all.filter(({ isUnit }) => isUnit)
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
  if (source.startsWith('test/kubernetes/')) return 'kubernetes'
  return /^test\/chaos\/|\.(slow|chromium)\.test\.ts$/.test(source) ? 'slow' : 'usual'
}

/** In a test or the files that it imports from its folder: it needs PostgreSQL or Redis. */
const needsServer = /SVC_TEST_|@svc\/database\/testing/

/** The same: it starts a process, or sets an option of tap for the whole process. */
const needsOwnProcess = /node:child_process|@svc\/(test|local)\/|^t\.jobs/m

interface Source {
  readonly text: string
  /** The files that it imports by a path; types apart. */
  readonly imports: readonly string[]
}

const sources = new Map<string, Source>()

function readSource(path: string): Source {
  const known = sources.get(path)
  if (known !== undefined) return known
  const text = existsSync(path) ? readFileSync(path, 'utf8') : ''
  const imports = text.matchAll(/^(?:import (?!type )|\} )[^;']*?from '(\.[^']+)'/gm)
  const source = {
    text,
    imports: Array.from(imports, ([, name = '']) => join(dirname(path), name)),
  }
  sources.set(path, source)
  return source
}

/** Whether a file, or one that it imports, has the pattern in it. Each file is looked at once. */
function reaches(path: string, pattern: RegExp): boolean {
  const reached = new Set([path])
  // A set also gives what is added on the way.
  for (const one of reached) {
    const { text, imports } = readSource(one)
    if (pattern.test(text)) return true
    for (const other of imports) reached.add(other)
  }
  return false
}

function toTestFile(root: string, source: string): TestFile {
  const inDist = source.includes('/src/')
    ? source.replace('/src/', '/dist/')
    : source.replace('test/', 'test/dist/')
  const compiled = inDist.replace(/\.ts$/, '.js')
  const suite = suiteOf(source)
  const path = join(root, source)
  const isShared =
    (suite === 'usual' || source.endsWith('.slow.test.ts')) && !reaches(path, needsOwnProcess)
  const isUnit =
    suite === 'usual' && isShared && !source.startsWith('test/') && !reaches(path, needsServer)
  return { source, compiled, suite, isUnit, isShared }
}
