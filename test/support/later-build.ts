import { cpSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Build } from './releases.ts'

/** This file is test/dist/support/later-build.js. */
const root = fileURLToPath(new URL('../../../', import.meta.url))

/** This build of a service, with migrations that a later one could have. */
export interface LaterBuild extends Build {
  /**
   * Adds a migration after all others; a process that starts from now on applies it.
   *
   * @param takesAway whether it needs that all builds from this one on do without what it drops
   */
  addMigration(name: string, sql: string, takesAway?: boolean): void
}

/** @param directory an empty one */
export function makeLaterBuild(directory: string, service: 'auth' | 'resource'): LaterBuild {
  const own = join(directory, 'services', service)
  mkdirSync(own, { recursive: true })
  // Its migrations are where the real path of its program is: the links are for what it imports.
  const options = { recursive: true, verbatimSymlinks: true }
  for (const name of ['dist', 'migrations', 'node_modules', 'package.json']) {
    cpSync(join(root, 'services', service, name), join(own, name), options)
  }
  for (const name of ['docs', 'node_modules', 'packages', 'proto']) {
    symlinkSync(join(root, name), join(directory, name))
  }
  const { version } = JSON.parse(readFileSync(join(own, 'package.json'), 'utf8'))
  const [major, minor] = String(version).split('.')
  const migrations = join(own, 'migrations')
  return {
    name: 'a later build',
    directory,
    addMigration(name, sql, takesAway = false) {
      const number = String(readdirSync(migrations).length + 1).padStart(4, '0')
      const since = takesAway ? `_since_${major}_${minor}` : ''
      writeFileSync(join(migrations, `${number}_${name}${since}.sql`), sql)
    },
  }
}
