import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync } from 'node:fs'
import { homedir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import type { startFleet } from '@svc/test/support/fleet'

/** The last commit before the management path was made cheap. */
const baselineCommit = 'c41fef6'

const repository = fileURLToPath(new URL('../../../../', import.meta.url))

interface Baseline {
  readonly startFleet: typeof startFleet
}

/**
 * The services of the baseline, built from the history of this repository when they are not there.
 *
 * `BENCH_BASELINE` names a checkout to use instead.
 */
export async function openBaseline(say: (line: string) => void): Promise<Baseline> {
  const directory = process.env.BENCH_BASELINE ?? cacheDirectory()
  if (!existsSync(directory)) unpack(directory)
  say(`the baseline is ${directory}`)
  const load = (file: string) => import(pathToFileURL(join(directory, file)).href)
  const { prepare } = (await load('deploy/local/bootstrap.prepare.mjs')) as {
    prepare(root: string): Promise<void>
  }
  await prepare(join(directory, '/'))
  return (await load('test/dist/support/fleet.js')) as Baseline
}

function cacheDirectory(): string {
  const caches = process.env.XDG_CACHE_HOME ?? join(homedir(), '.cache')
  return join(caches, 'svc-bench', baselineCommit)
}

function unpack(directory: string): void {
  const git = ['-C', repository, 'archive', '--format=tar', baselineCommit]
  const tar = execFileSync('git', git, { maxBuffer: 2 ** 28 })
  mkdirSync(directory, { recursive: true })
  execFileSync('tar', ['-x', '-C', directory], { input: tar })
}
