import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync, readFileSync } from 'node:fs'
import { homedir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import type { startFleet } from '@svc/test/support/fleet'

const repository = fileURLToPath(new URL('../../../', import.meta.url))

interface Baseline {
  readonly startFleet: typeof startFleet
}

/**
 * The services of an earlier commit, built from the history of this repository when they are not there.
 *
 * `BENCH_BASELINE` names a checkout to use instead.
 */
export async function openBaseline(commit: string, say: (line: string) => void): Promise<Baseline> {
  const directory = process.env.BENCH_BASELINE ?? cacheDirectory(commit)
  if (!existsSync(directory)) unpack(commit, directory)
  say(`the baseline is ${directory}`)
  const load = (file: string) => import(pathToFileURL(join(directory, file)).href)
  const { prepare } = (await load('deploy/local/bootstrap.prepare.mjs')) as {
    prepare(root: string): Promise<void>
  }
  await prepare(join(directory, '/'))
  return (await load('test/dist/support/fleet.js')) as Baseline
}

/** The commit of a release, also in a clone without tags. */
export function releasedCommit(version: string): string {
  const releases = JSON.parse(readFileSync(join(repository, 'releases.json'), 'utf8'))
  const commit = releases[version]
  if (typeof commit !== 'string') throw new Error(`releases.json has no release ${version}`)
  return commit
}

function cacheDirectory(commit: string): string {
  const caches = process.env.XDG_CACHE_HOME ?? join(homedir(), '.cache')
  return join(caches, 'svc-bench', commit)
}

function unpack(commit: string, directory: string): void {
  const git = ['-C', repository, 'archive', '--format=tar', commit]
  const tar = execFileSync('git', git, { maxBuffer: 2 ** 28 })
  mkdirSync(directory, { recursive: true })
  execFileSync('tar', ['-x', '-C', directory], { input: tar })
}
