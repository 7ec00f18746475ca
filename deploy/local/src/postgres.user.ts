import { spawnSync } from 'node:child_process'
import { chownSync, statSync } from 'node:fs'
import { AppError } from '@svc/runtime'

/** As whom PostgreSQL's programs run, for they refuse to run as root. */
export interface PostgresUser {
  /** What to put before each command. */
  readonly prefix: readonly string[]
  /** Passed on to `spawn`. */
  readonly ids: { readonly uid?: number; readonly gid?: number }
  /** Gives a file that root made to this user. */
  own(path: string): void
}

/** The id of the user `nobody`, who is on every Linux: initdb wants its user to have a name. */
const nobody = 65534

/**
 * Whoever runs this process, unless that is root: then whoever owns the directory, and if that is
 * root too, root under another number, in a user namespace, where all files stay root's. Where
 * namespaces are forbidden (in most containers) the directory is given to `nobody`.
 *
 * @throws {AppError} `failed_precondition` when none of these can work in the directory
 */
export function postgresUser(directory: string, programs: readonly string[]): PostgresUser {
  if (process.getuid?.() !== 0) return { prefix: [], ids: {}, own: () => {} }

  const owner = statSync(directory)
  if (owner.uid === 0) {
    const prefix = ['unshare', '--user', `--map-user=${nobody}`, `--map-group=${nobody}`]
    const [unshare = '', ...args] = [...prefix, 'true']
    if (spawnSync(unshare, args, { stdio: 'ignore' }).status === 0) {
      return { prefix, ids: {}, own: () => {} }
    }
    chownSync(directory, nobody, nobody)
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
