import { execFile } from 'node:child_process'
import { existsSync, readdirSync, readFileSync, realpathSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import type { Manifest } from '@svc/npm/manifest'
import { type Packed, packPackages } from '@svc/npm/pack'
import type { Test } from './listen.ts'

/** This file is test/dist/support/packages.js. */
const root = fileURLToPath(new URL('../../../', import.meta.url))
const run = promisify(execFile)

/** Limit of what npm does here, in milliseconds: nothing is fetched for it. */
const npmTimeoutMs = 60_000

export interface Packages {
  readonly packed: readonly Packed[]
  /**
   * Installs packages into a folder from their tarballs, as an application does, with what they need. Nothing is
   * fetched: libraries are packed from where this repository has them.
   */
  install(folder: string, ...names: readonly string[]): Promise<void>
}

/** A folder with nothing in it, and no package above it. */
export async function emptyFolder(t: Test): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'svc-application-'))
  t.teardown(() => rm(folder, { recursive: true }))
  return folder
}

/** Packs what is published, for a file of tests. */
export async function packForTests(t: Test): Promise<Packages> {
  const into = await mkdtemp(join(tmpdir(), 'svc-packages-'))
  t.teardown(() => rm(into, { recursive: true }))
  const packed = await packPackages({ root, into })
  const libraries = new Map<string, Promise<string>>()
  return {
    packed,
    async install(folder, ...names) {
      const needed = closureOf(packed, names)
      const tarballs = [...needed].map(async ([name, place]) => {
        const own = packed.find((one) => one.name === name)
        if (own !== undefined) return own.tarball
        const tarball = libraries.get(place) ?? packLibrary(place, into)
        libraries.set(place, tarball)
        return await tarball
      })
      const quiet = ['--no-audit', '--no-fund', '--ignore-scripts', '--loglevel=error']
      const args = ['install', '--offline', ...quiet, ...(await Promise.all(tarballs))]
      await run('npm', args, { cwd: folder, timeout: npmTimeoutMs })
    },
  }
}

async function packLibrary(folder: string, into: string): Promise<string> {
  const args = ['pack', folder, '--pack-destination', into, '--ignore-scripts', '--silent']
  const { stdout } = await run('npm', args, { timeout: npmTimeoutMs })
  return join(into, stdout.trim())
}

/** The packages, and all that they need, with the folder of each. */
function closureOf(packed: readonly Packed[], names: readonly string[]): Map<string, string> {
  const found = new Map<string, string>()
  const add = (name: string, from: string) => {
    if (found.has(name)) return
    const own = packed.find((one) => one.name === name)
    const folder = own === undefined ? findLibrary(name, from) : join(root, own.folder)
    found.set(name, folder)
    const { dependencies, peerDependencies } = own?.manifest ?? readManifest(folder)
    for (const needed of Object.keys({ ...dependencies, ...peerDependencies })) add(needed, folder)
  }
  for (const name of names) add(name, root)
  return found
}

function readManifest(folder: string): Manifest {
  return JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'))
}

/** Where Node.js finds a library; one that bundled code needs is that of the package it was bundled from. */
function findLibrary(name: string, from: string): string {
  const bundled = readdirSync(join(root, 'packages')).map((folder) =>
    join(root, 'packages', folder),
  )
  for (const folder of [...upwards(from), ...bundled]) {
    const place = join(folder, 'node_modules', name)
    if (existsSync(place)) return realpathSync(place)
  }
  throw new Error(`${name} is not installed`)
}

function* upwards(from: string): Generator<string> {
  for (let at = from; at !== dirname(at); at = dirname(at)) yield at
}
