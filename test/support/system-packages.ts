import { spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'

/** A program that the system's packages have. */
export interface SystemPackage {
  readonly program: string
  /** What the packages of Debian and Ubuntu call it. */
  readonly name: string
  /**
   * How long it may take to get it, in milliseconds: on a mirror that is slow, and no longer, for one
   * that does not answer must not hold up the tests.
   */
  readonly limitMs: number
}

export const redisPackage: SystemPackage = {
  program: 'redis-server',
  name: 'redis-server',
  limitMs: 120_000,
}

/** A hundred times as large. Without what draws a window, which takes 40 % of the time of the tests in a browser. */
export const chromiumPackage: SystemPackage = {
  program: 'chromium-headless-shell',
  name: 'chromium-headless-shell',
  limitMs: 300_000,
}

/** What else will do, where a system lacks that package. */
const wholeChromium: SystemPackage = { ...chromiumPackage, program: 'chromium', name: 'chromium' }

/** @returns the program of a browser; nothing when none is installed */
export function findChromium(): string | undefined {
  return [chromiumPackage, wholeChromium].find(isInstalled)?.program
}

/** With promtool. */
export const prometheusPackage: SystemPackage = {
  program: 'prometheus',
  name: 'prometheus',
  limitMs: 180_000,
}

export function isInstalled({ program }: SystemPackage): boolean {
  return spawnSync(program, ['--version'], { stdio: 'ignore' }).status === 0
}

/** @returns whether it is there now: root on Debian or Ubuntu gets it from the system's packages */
export function ensureInstalled(wanted: SystemPackage, say: (line: string) => void): boolean {
  if (isInstalled(wanted)) return true
  const canInstall = process.getuid?.() === 0 && existsSync('/etc/debian_version')
  if (!canInstall) return false
  say(`Installing ${wanted.name}…`)
  // Services are not to be started: the tests start their own.
  const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive', RUNLEVEL: '1' }
  const run = (...args: string[]) =>
    spawnSync('apt-get', args, { env, stdio: 'ignore', timeout: wanted.limitMs }).status === 0
  const install = () => run('install', '-y', '--no-install-recommends', wanted.name)
  return (install() || (run('update') && install())) && isInstalled(wanted)
}
