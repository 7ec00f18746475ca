import { randomBytes } from 'node:crypto'
import { existsSync, mkdirSync, renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

/** Files that hold what the services know each other by. */
export interface InternalSecrets {
  /** For all of them. */
  readonly sharedFile: string
  /** For those of auth and resource, who vouch for callers and believe it. */
  readonly assertionKeyFile: string
}

/** The secrets in a data directory; those that are missing are made. */
export function keepSecrets(directory: string): InternalSecrets {
  const own = join(directory, 'internal')
  mkdirSync(own, { recursive: true, mode: 0o700 })
  return {
    sharedFile: keepSecret(join(own, 'secret')),
    assertionKeyFile: keepSecret(join(own, 'assertion-key')),
  }
}

/** Whole or not at all: whoever is ended while writing it leaves no half of a secret. */
function keepSecret(path: string): string {
  if (existsSync(path)) return path
  writeFileSync(`${path}.new`, randomBytes(32).toString('hex'), { mode: 0o600 })
  renameSync(`${path}.new`, path)
  return path
}
