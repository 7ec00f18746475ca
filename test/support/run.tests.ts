import { basename, join } from 'node:path'
import { whenAskedToEnd } from '@svc/local/start.signals'
import { ensureProviders } from './ofrep-providers.ts'
import { runFiles } from './run.files.ts'
import { findTestFiles, listTestFiles, type RunOptions, type TestFile } from './run.options.ts'
import { describeOmitted, describeOutcome, describeTotal } from './run.report.ts'
import { noServers, startTestServers } from './run.servers.ts'
import { chromiumPackage, ensureInstalled, findChromium } from './system-packages.ts'

/**
 * Starts a PostgreSQL and a Redis, runs the tests, and says how it went. It can be called once.
 *
 * @param root where the repository is
 * @param env variables of the tests, besides those of this process
 * @returns the exit code
 */
export async function runTests(
  root: string,
  options: RunOptions,
  env: Readonly<Record<string, string>> = {},
): Promise<number> {
  const files = findTestFiles(root, options)
  const signal = whenAskedToEnd()
  const needsServers = files.some(({ isUnit }) => !isUnit)
  const servers = needsServers ? await startTestServers((line) => console.log(line)) : noServers
  const missing = [
    ...(servers.hasRedis ? [] : ['redis']),
    ...(hasBrowserFor(files) ? [] : ['chromium']),
  ]
  const providers = providersFor(files)
  const [able, unable] = divide(files, (file) => missing.some((name) => needs(file, name)))
  for (const { source } of unable) console.log(`skip           ${source}`)
  try {
    const total = await runFiles(able, {
      root,
      env: {
        ...withoutSettings(process.env),
        ...env,
        ...servers.env,
        SVC_TEST_OFREP_PROVIDERS: providers.join(),
        // Two hundred processes load the same modules.
        NODE_COMPILE_CACHE: join(root, 'node_modules', '.cache', 'compiled'),
      },
      reportFile: join(root, '.tap', 'results.tap'),
      signal,
      onEnd: (group, outcome) => process.stdout.write(describeOutcome(group, outcome)),
    })
    console.log(signal.aborted ? '\nInterrupted.' : '')
    if (options.paths.length === 0)
      process.stdout.write(describeOmitted(listTestFiles(root), files))
    console.log(describeTotal({ ...total, skipped: total.skipped + unable.length }))
    if (signal.aborted) return 130
    return total.failed > 0 ? 1 : 0
  } finally {
    await servers.stop()
  }
}

/** By its name, so that a file says it once for all that is in it. */
function needs({ source }: TestFile, name: string): boolean {
  return basename(source).includes(name)
}

/** Looks for a browser only where it is needed: to get one takes a while. */
function hasBrowserFor(files: readonly TestFile[]): boolean {
  const say = (line: string) => console.log(line)
  if (!files.some((file) => needs(file, 'chromium'))) return true
  if (ensureInstalled(chromiumPackage, say) || findChromium() !== undefined) return true
  say('')
  say('!! chromium is not installed, so THE TESTS THAT NEED A BROWSER ARE SKIPPED.')
  say('!! Install it first: apt-get install chromium-headless-shell.')
  say('')
  return false
}

/** The providers of other languages that are installed, where they are needed: to get them takes a while. */
function providersFor(files: readonly TestFile[]): readonly string[] {
  if (!files.some((file) => needs(file, 'ofrep-providers'))) return []
  return ensureProviders((line) => console.log(line))
}

function divide<T>(items: readonly T[], isUnable: (item: T) => boolean): [T[], T[]] {
  return [items.filter((item) => !isUnable(item)), items.filter(isUnable)]
}

/** The environment may have settings of a service that runs beside the tests. */
function withoutSettings(env: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  return Object.fromEntries(Object.entries(env).filter(([name]) => !name.startsWith('SVC_')))
}
