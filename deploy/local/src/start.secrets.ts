import { randomBytes } from 'node:crypto'
import { existsSync, mkdirSync, renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

/** Files with the secrets between the services. */
export interface InternalSecrets {
  /** For all three. */
  readonly sharedFile: string
  /** For auth, which signs caller assertions, and resource, which verifies them. */
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

/** Atomic: a process that is killed while writing leaves no half of a secret. */
function keepSecret(path: string): string {
  if (existsSync(path)) return path
  writeFileSync(`${path}.new`, randomBytes(32).toString('hex'), { mode: 0o600 })
  renameSync(`${path}.new`, path)
  return path
}
