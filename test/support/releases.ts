import { execFileSync, spawnSync } from 'node:child_process'
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  utimesSync,
} from 'node:fs'
import { homedir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'

/** This file is test/dist/support/releases.js. */
const repository = fileURLToPath(new URL('../../../', import.meta.url))

/** A release, or any other commit, as a folder with its sources and what was built of them. */
export interface Build {
  readonly name: string
  readonly directory: string
}

/** Maximum builds that are kept, some 500 MB each: the last two releases, and two that a benchmark names. */
const maxKept = 4

/** Releases by `releases.json`, oldest first: it has their commits also in a clone without tags. */
function listReleases(): [version: string, commit: string][] {
  const releases = JSON.parse(readFileSync(join(repository, 'releases.json'), 'utf8'))
  const partsOf = (version: string) => version.split('.').map(Number)
  return Object.entries<string>(releases).sort(([a], [b]) => {
    const [left, right] = [partsOf(a), partsOf(b)]
    const at = left.findIndex((part, i) => part !== right[i])
    return at < 0 ? 0 : (left[at] ?? 0) - (right[at] ?? 0)
  })
}

/** @returns the id of the commit. @throws {Error} when there is no such release */
export function releasedCommit(version: string): string {
  const commit = listReleases().find(([name]) => name === version)?.[1]
  if (commit === undefined) throw new Error(`releases.json has no release ${version}`)
  return commit
}

/** Version of the release before the one that this is to become, such as `1.1.0`. */
export function lastRelease(): string {
  const own = JSON.parse(readFileSync(join(repository, 'test/package.json'), 'utf8')).version
  const last = listReleases()
    .map(([version]) => version)
    .filter((version) => version !== own)
    .at(-1)
  if (last === undefined) throw new Error('releases.json has no release')
  return last
}

/** @returns why a commit cannot be built here, for people: a shallow clone has no history */
export function whyMissing(commit: string): string | undefined {
  if (existsSync(directoryOf(commit))) return undefined
  const looked = spawnSync('git', ['-C', repository, 'cat-file', '-e', `${commit}^{commit}`])
  return looked.status === 0 ? undefined : `this clone has no commit ${commit.slice(0, 12)}`
}

/**
 * Unpacks a commit outside the checkout, and builds it if that is not done yet: some minutes the first time.
 * Keeps a few of those that were used last.
 *
 * @throws {Error} when the clone does not have the commit, or it cannot be built
 */
export async function openBuild(commit: string, name = commit.slice(0, 12)): Promise<Build> {
  const directory = directoryOf(commit)
  if (!existsSync(directory)) unpack(commit, directory)
  await build(directory)
  const now = new Date()
  utimesSync(directory, now, now)
  removeOldest()
  return { name, directory }
}

/** Builds the sources of a folder, of this commit or an earlier one. Of several processes at once, one does. */
export async function build(directory: string): Promise<void> {
  const file = join(directory, 'deploy/local/bootstrap.prepare.mjs')
  const { prepare } = (await import(pathToFileURL(file).href)) as {
    prepare(root: string): Promise<void>
  }
  await prepare(join(directory, '/'))
}

/** The release before this one, built. */
export function openLastRelease(): Promise<Build> {
  const version = lastRelease()
  return openBuild(releasedCommit(version), version)
}

/** For `skip` of a test: why there is no release before this one to be built, or `false`. */
export function lastReleaseIsMissing(): string | false {
  const version = lastRelease()
  const why = whyMissing(releasedCommit(version))
  return why === undefined ? false : `release ${version} cannot be built: ${why}`
}

function cacheDirectory(): string {
  return join(process.env.XDG_CACHE_HOME ?? join(homedir(), '.cache'), 'svc-releases')
}

function directoryOf(commit: string): string {
  return join(cacheDirectory(), commit)
}

/** Complete or not at all, as the process may be killed meanwhile. */
function unpack(commit: string, directory: string): void {
  const archive = ['-C', repository, 'archive', '--format=tar', commit]
  const tar = execFileSync('git', archive, { maxBuffer: 2 ** 28 })
  mkdirSync(cacheDirectory(), { recursive: true })
  const unfinished = mkdtempSync(join(cacheDirectory(), 'new-'))
  execFileSync('tar', ['-x', '-C', unfinished], { input: tar })
  try {
    renameSync(unfinished, directory)
  } catch (error) {
    rmSync(unfinished, { recursive: true, force: true })
    // Another process was faster.
    if (!existsSync(directory)) throw error
  }
}

function removeOldest(): void {
  const usedAt = (path: string) => statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? 0
  const paths = readdirSync(cacheDirectory()).map((name) => join(cacheDirectory(), name))
  const kept = paths.sort((a, b) => usedAt(b) - usedAt(a))
  for (const path of kept.slice(maxKept)) rmSync(path, { recursive: true, force: true })
}
