import { spawnSync } from 'node:child_process'
import { chmodSync, globSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { programOf } from './debian-packages.ts'

const programs = ['pg_dump', 'pg_restore', 'psql'] as const

/** The first Debian release with a PostgreSQL that is as new as the one of the tests. */
const debianRelease = 'forky'

/**
 * Writes scripts `pg_dump`, `pg_restore` and `psql` into a folder, which run those of the system, or of Debian,
 * that a server accepts: pg_dump must not be older than the server.
 *
 * @param serverVersion of PostgreSQL, such as 18
 * @returns why there are none, if so
 */
export function writePostgresClient(folder: string, serverVersion: number): string | undefined {
  const found = programs.map((name) => commandOf(name, serverVersion))
  for (const [i, name] of programs.entries()) {
    const command = found[i]
    if (command === undefined) return `there is no ${name} of PostgreSQL ${serverVersion}`
    const quoted = command.map((part) => `'${part}'`).join(' ')
    const more = name === 'pg_dump' ? '$PG_DUMP_OPTIONS ' : ''
    const file = join(folder, name)
    writeFileSync(file, `#!/bin/sh\nexec ${quoted} ${more}"$@"\n`)
    chmodSync(file, 0o755)
  }
  return undefined
}

function commandOf(name: string, serverVersion: number): readonly string[] | undefined {
  const installed = [name, ...globSync(`/usr/lib/postgresql/*/bin/${name}`)].map((path) => [path])
  const isNewEnough = (command: readonly string[]) => versionOf(command) >= serverVersion
  const own = installed.find(isNewEnough)
  if (own !== undefined) return own
  const path = `usr/lib/postgresql/${serverVersion}/bin/${name}`
  const unpacked = programOf(debianRelease, `postgresql-client-${serverVersion}`, path)
  return unpacked !== undefined && isNewEnough(unpacked) ? unpacked : undefined
}

/** @returns the major version; 0 when it does not run */
function versionOf([program = '', ...args]: readonly string[]): number {
  const { stdout } = spawnSync(program, [...args, '--version'], { encoding: 'utf8' })
  return Number(/ (\d+)/.exec(stdout ?? '')?.[1] ?? 0)
}
