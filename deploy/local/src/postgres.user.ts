import { spawnSync } from 'node:child_process'
import { chownSync, statSync } from 'node:fs'
import { AppError } from '@svc/runtime'

/** The user of PostgreSQL's programs, which refuse to run as root. */
export interface PostgresUser {
  /** What to put before each command. */
  readonly prefix: readonly string[]
  /** Passed on to `spawn`. */
  readonly ids: { readonly uid?: number; readonly gid?: number }
  /** Gives a file that root made to this user. */
  own(path: string): void
}

/** The id of the user `nobody`, which every Linux has: initdb needs a user with a name. */
const nobodyId = 65534

/**
 * The user of this process. For root it is the owner of the directory. If that is root as well, it
 * is root under another number, in a user namespace, where all files stay root's. Where namespaces
 * are forbidden (in most containers) the directory is given to `nobody`.
 *
 * @throws {AppError} `failed_precondition` when none of these can work in the directory
 */
export function postgresUser(directory: string, programs: readonly string[]): PostgresUser {
  if (process.getuid?.() !== 0) return { prefix: [], ids: {}, own: () => {} }

  const owner = statSync(directory)
  if (owner.uid === 0) {
    const prefix = ['unshare', '--user', `--map-user=${nobodyId}`, `--map-group=${nobodyId}`]
    const [unshare = '', ...args] = [...prefix, 'true']
    if (spawnSync(unshare, args, { stdio: 'ignore' }).status === 0) {
      return { prefix, ids: {}, own: () => {} }
    }
    chownSync(directory, nobodyId, nobodyId)
  }
  const { uid, gid } = statSync(directory)
  for (const path of [directory, ...programs]) {
    const { status } = spawnSync('test', ['-x', path], { uid, gid, cwd: '/' })
    if (status !== 0) {
      const message = `PostgreSQL won't run as root, and user ${uid} can't reach ${path}. Run as another user, or set SVC_DB_URL.`
      throw new AppError('failed_precondition', 'runs_as_root', message)
    }
  }
  return { prefix: [], ids: { uid, gid }, own: (path) => chownSync(path, uid, gid) }
}
