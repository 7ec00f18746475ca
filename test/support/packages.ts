import { execFile } from 'node:child_process'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { type Packed, packPackages } from '@svc/npm/pack'
import type { Test } from './listen.ts'

/** This file is test/dist/support/packages.js. */
const root = fileURLToPath(new URL('../../../', import.meta.url))

/** Limit of an installation, in milliseconds: nothing is fetched for it. */
const installTimeoutMs = 60_000

export interface Packages {
  readonly packed: readonly Packed[]
  /**
   * Installs packages from their tarballs into a folder, as an application does. Nothing is fetched, so that what
   * they need besides has to be among them.
   */
  install(folder: string, ...names: readonly string[]): Promise<void>
}

/** A folder with nothing in it or above it that npm would look at. */
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
  const tarballOf = (name: string) => {
    const found = packed.find((one) => one.name === name)
    if (found === undefined) throw new Error(`${name} is not published`)
    return found.tarball
  }
  return {
    packed,
    async install(folder, ...names) {
      const quiet = ['--no-audit', '--no-fund', '--ignore-scripts', '--loglevel=error']
      const args = ['install', '--offline', ...quiet, ...names.map(tarballOf)]
      await promisify(execFile)('npm', args, { cwd: folder, timeout: installTimeoutMs })
    },
  }
}
