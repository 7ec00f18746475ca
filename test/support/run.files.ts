import type { StdioOptions } from 'node:child_process'
import { createWriteStream, mkdirSync } from 'node:fs'
import { dirname } from 'node:path'
import { tiedToParent } from '@svc/local/processes'
import { type Base, type Counts, type Spawn, t as suite } from 'tap'
import type { Suite, TestFile } from './run.options.ts'

export interface RunFilesOptions {
  readonly root: string
  readonly env: NodeJS.ProcessEnv
  /** Where all that the tests report is kept. */
  readonly reportFile: string
  /** Kills the tests that run; none is started any more. */
  readonly signal: AbortSignal
  readonly onEnd: (file: TestFile, outcome: FileOutcome) => void
}

export interface FileOutcome {
  readonly counts: Counts
  readonly failures: readonly Failure[]
  readonly tookMs: number
  /** What it wrote besides its results: the last 64 KB. */
  readonly output: string
}

export interface Failure {
  /** From the outermost test inwards. */
  readonly name: string
  readonly details: Readonly<Record<string, unknown>>
}

/** Files that run at once. A file that measures has the machine to itself. */
const jobsFor = (files: readonly TestFile[]) =>
  files.some(({ suite }) => suite === 'nightly') ? 1 : 2

/** Minutes that one file may take before it is killed. */
const limits: Record<Suite, number> = { usual: 3, slow: 20, nightly: 20 }

const maxOutput = 64 * 1024

/** In assertions, and files that cannot be run. */
export interface Total {
  readonly passed: number
  readonly failed: number
  readonly skipped: number
}

/**
 * Runs each file in a process of its own, some at a time, as subtests of the suite that tap keeps
 * for this process; so it can be called once.
 */
export async function runFiles(
  files: readonly TestFile[],
  options: RunFilesOptions,
): Promise<Total> {
  const { signal, reportFile } = options
  mkdirSync(dirname(reportFile), { recursive: true })
  suite.pipe(createWriteStream(reportFile))
  suite.setTimeout(0)
  suite.jobs = jobsFor(files)

  const watched = new Map<Base, WatchedFile>()
  suite.on('spawn', (subtest) => watched.set(subtest, watch(subtest)))
  suite.on('subtestEnd', (subtest) => {
    const file = files.find(({ source }) => source === subtest.name)
    if (file !== undefined) options.onEnd(file, outcomeOf(subtest, watched.get(subtest)))
  })
  const ended = new Promise<void>((resolve) => {
    suite.once('complete', () => resolve())
    signal.addEventListener('abort', () => resolve())
    if (signal.aborted) resolve()
  })
  for (const file of files) start(file, options)
  suite.end()
  await ended
  for (const { kill } of watched.values()) kill()

  const { pass, fail, skip, todo } = suite.counts
  // Tap forgives a file without tests, but then something is wrong with it.
  const empty = suite.lists.skip.filter(({ skip }) => skip === noTests).length
  return { passed: pass, failed: fail + empty, skipped: skip + todo - empty }
}

const noTests = 'no tests found'

/** Not awaited: tap starts it when its turn comes. */
function start({ source, compiled, suite: kind }: TestFile, options: RunFilesOptions): void {
  // Without the hook that tap hands to its children for coverage, which the services that a test
  // starts would inherit.
  const command = ['env', '-u', 'NODE_OPTIONS', ...tiedToParent(), process.execPath]
  const [program = '', ...args] = [...command, '--enable-source-maps', compiled]
  const stdio: StdioOptions = ['ignore', 'pipe', 'pipe']
  const seconds = limits[kind] * 60
  const env = { ...options.env, TAP_TIMEOUT: String(seconds) }
  suite
    .spawn(
      program,
      args,
      { cwd: options.root, env, buffered: true, timeout: seconds * 1000, stdio },
      source,
    )
    .catch(() => {})
}

interface WatchedFile {
  readonly subtest: Spawn
  /** What it has written besides its results. */
  output: string
  /** Ends it and all that it started, if need be. */
  kill(): void
}

/**
 * Gives a test file a process group of its own, and ends what is left of that when the file has
 * ended: the services that a test started and did not stop, because it crashed for example.
 */
function watch(subtest: Spawn): WatchedFile {
  const file: WatchedFile = { subtest, output: '', kill: () => {} }
  const keep = (text: string) => {
    file.output = (file.output + text).slice(-maxOutput)
  }
  subtest.parser.on('extra', keep)
  subtest.on('preprocess', (options) => {
    options.detached = true
  })
  subtest.on('process', (child) => {
    child.stderr?.setEncoding('utf8').on('data', keep)
    file.kill = () => killGroup(child.pid)
    child.once('exit', () => {
      file.kill()
      file.kill = () => {}
    })
  })
  return file
}

function killGroup(pid: number | undefined): void {
  try {
    if (pid !== undefined) process.kill(-pid, 'SIGKILL')
  } catch {
    // Nobody is left, as it should be.
  }
}

function outcomeOf(subtest: Base, file: WatchedFile | undefined): FileOutcome {
  const { counts, lists, time, results } = subtest
  const failures: Failure[] = lists.fail
    // A test fails with what is in it; what is in it says why.
    .filter(
      ({ fullname }) => !lists.fail.some((other) => other.fullname.startsWith(`${fullname} >`)),
    )
    .map(({ fullname, diag }) => ({
      name: fullname.replace(`${subtest.name} > `, ''),
      details: { ...diag },
    }))
  if (failures.length === 0 && results?.ok !== true) {
    const { exitCode, signal } = file?.subtest.options ?? {}
    failures.push({ name: `ended with ${signal ?? `exit code ${exitCode}`}`, details: {} })
  }
  if (failures.length === 0 && counts.total === 0) {
    failures.push({ name: 'has no tests', details: {} })
  }
  return { counts, failures, tookMs: time, output: file?.output ?? '' }
}
