import { spawnSync } from 'node:child_process'
import {
  existsSync,
  globSync,
  mkdirSync,
  mkdtempSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

const cache = fileURLToPath(new URL('../../../node_modules/.cache/debian/', import.meta.url))

/** Time for the lists of a release, and for its packages, in milliseconds: a minute on a slow mirror. */
const downloadLimitMs = 180_000

/** A command without its arguments. */
type Command = readonly [string, ...string[]]

/**
 * How to run a program of a Debian release, whatever this system is: its package and those that it needs are
 * unpacked, not installed, and it runs with the libraries of that release.
 *
 * @param path of the program in the package, such as `usr/bin/psql`
 * @returns the command; `undefined` where the packages cannot be had
 */
export function programOf(release: string, packageName: string, path: string): Command | undefined {
  const root = join(cache, `${release}-${packageName}`)
  if (!existsSync(root) && !unpack(release, packageName, root)) return undefined
  const [loader] = globSync('{usr/,}lib*/ld-linux-*.so.*', { cwd: root })
  const program = join(root, path)
  if (loader === undefined || !existsSync(program)) return undefined
  const folders = globSync('{usr/,}lib/*-linux-gnu', { cwd: root }).map((path) => join(root, path))
  return [join(root, loader), '--library-path', folders.join(':'), program]
}

/** Complete or not at all. */
function unpack(release: string, packageName: string, root: string): boolean {
  const key = '/usr/share/keyrings/debian-archive-keyring.gpg'
  if (!existsSync(key)) return false
  mkdirSync(cache, { recursive: true })
  const work = mkdtempSync(join(cache, 'new-'))
  try {
    // Lists of its own, so that the system does not get packages of another release.
    for (const folder of ['lists/partial', 'archives/partial', 'root']) {
      mkdirSync(join(work, folder), { recursive: true })
    }
    const source = `deb [signed-by=${key}] http://deb.debian.org/debian ${release} main\n`
    writeFileSync(join(work, 'sources.list'), source)
    writeFileSync(join(work, 'status'), '')
    const options = {
      'Dir::State': work,
      'Dir::State::status': join(work, 'status'),
      'Dir::Cache': work,
      'Dir::Etc::sourcelist': join(work, 'sources.list'),
      'Dir::Etc::sourceparts': '-',
      'APT::Sandbox::User': '',
      'APT::Install-Recommends': 'false',
      'Acquire::Languages': 'none',
    }
    const flags = Object.entries(options).flatMap(([name, value]) => ['-o', `${name}=${value}`])
    const run = (program: string, ...args: string[]) =>
      spawnSync(program, args, { cwd: work, stdio: 'ignore', timeout: downloadLimitMs }).status ===
      0
    // Nothing is installed by its own lists, so it downloads all that the package needs.
    const download = ['install', '--yes', '--download-only', packageName]
    if (!run('apt-get', ...flags, 'update') || !run('apt-get', ...flags, ...download)) return false
    for (const file of globSync('archives/*.deb', { cwd: work })) {
      if (!run('dpkg-deb', '--extract', file, 'root')) return false
    }
    renameSync(join(work, 'root'), root)
    return true
  } finally {
    rmSync(work, { recursive: true, force: true })
  }
}
