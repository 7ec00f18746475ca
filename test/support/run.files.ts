import type { StdioOptions } from 'node:child_process'
import { createWriteStream, mkdirSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import { dirname } from 'node:path'
import { fileURLToPath } from 'node:url'
import { tiedToParent } from '@svc/local/processes'
import { type Base, type Counts, type Spawn, t as suite } from 'tap'
import { groupFiles, type TestGroup } from './run.groups.ts'
import type { Suite, TestFile } from './run.options.ts'

// Its time runs from now on, and the servers that are started first take some of it.
suite.setTimeout(0)

export interface RunFilesOptions {
  readonly root: string
  readonly env: NodeJS.ProcessEnv
  /** Where all that the tests report is kept. */
  readonly reportFile: string
  /** Kills the tests that run; none is started any more. */
  readonly signal: AbortSignal
  readonly onEnd: (group: TestGroup, outcome: GroupOutcome) => void
}

export interface GroupOutcome {
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

/** Processes that run at once: most wait for sockets. A file that measures has the machine to itself. */
const jobsFor = (groups: readonly TestGroup[]) =>
  groups.some(({ suite }) => suite === 'nightly' || suite === 'kubernetes')
    ? 1
    : 2 * availableParallelism()

/**
 * Minutes that a process may take before it is killed: ten times what it takes at a load of 8; at night one that
 * watches for an hour, and as long again.
 */
const limits: Record<Suite, number> = {
  usual: 10,
  slow: 30,
  nightly: 120,
  kubernetes: 60,
}

const maxOutput = 64 * 1024

/** In assertions, and files that cannot be run. */
export interface Total {
  readonly passed: number
  readonly failed: number
  readonly skipped: number
}

/**
 * Runs each group in a process of its own, some at a time, as subtests of the suite that tap keeps
 * for this process; so it can be called once.
 */
export async function runFiles(
  files: readonly TestFile[],
  options: RunFilesOptions,
): Promise<Total> {
  const { signal, reportFile } = options
  mkdirSync(dirname(reportFile), { recursive: true })
  suite.pipe(createWriteStream(reportFile))
  const groups = groupFiles(files)
  suite.jobs = jobsFor(groups)

  const watched = new Map<Base, WatchedFile>()
  suite.on('spawn', (subtest) => watched.set(subtest, watch(subtest)))
  suite.on('subtestEnd', (subtest) => {
    const group = groups.find(({ name }) => name === subtest.name)
    if (group !== undefined) options.onEnd(group, outcomeOf(subtest, watched.get(subtest)))
  })
  const ended = new Promise<void>((resolve) => {
    suite.once('complete', () => resolve())
    signal.addEventListener('abort', () => resolve())
    if (signal.aborted) resolve()
  })
  for (const group of groups) start(group, options)
  suite.end()
  await ended
  for (const { kill } of watched.values()) kill()

  const { pass, fail, skip, todo } = suite.counts
  // Tap forgives a file without tests, but then something is wrong with it.
  const empty = suite.lists.skip.filter(({ skip }) => skip === noTests).length
  return { passed: pass, failed: fail + empty, skipped: skip + todo - empty }
}

/** Runs the files that `SVC_TEST_FILES` names. Its argument names the folder of their fixtures. */
const together = fileURLToPath(new URL('./run.together.js', import.meta.url))

const noTests = 'no tests found'

/** Not awaited: tap starts it when a job is free. */
function start({ name, files, suite: kind }: TestGroup, options: RunFilesOptions): void {
  // Without the hook that tap hands to its children for coverage, which the services that a test
  // starts would inherit.
  const command = ['env', '-u', 'NODE_OPTIONS', ...tiedToParent(), process.execPath]
  const compiled = files.map((file) => file.compiled)
  const [program = '', ...args] = [...command, '--enable-source-maps', together, name]
  const stdio: StdioOptions = ['ignore', 'pipe', 'pipe']
  const seconds = limits[kind] * 60
  const env = {
    ...options.env,
    TAP_TIMEOUT: String(seconds),
    SVC_TEST_FILES: compiled.join(),
  }
  suite
    .spawn(
      program,
      args,
      { cwd: options.root, env, buffered: true, timeout: seconds * 1000, stdio },
      name,
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
    // The group has ended.
  }
}

function outcomeOf(subtest: Base, file: WatchedFile | undefined): GroupOutcome {
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
