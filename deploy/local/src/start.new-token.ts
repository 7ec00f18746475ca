import { spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { dataDirectory } from './postgres.cluster.ts'
import { findRunningPostgres, startPostgres } from './postgres.ts'
import { openDataDirectory, shownPath } from './start.data.ts'
import { startError } from './start.errors.ts'
import { inheritedEnv, programs } from './start.services.ts'

/**
 * Makes a token in the database of a data directory, and prints it, alone on standard output. A stack
 * that runs keeps running. Where none does, the database runs for as long as this takes.
 *
 * @param databaseUrl used in place of the database in the directory
 * @returns the exit code
 * @throws {AppError} `failed_precondition` when there is no such database, or it does not start
 */
export async function printNewToken(directory: string, databaseUrl?: string): Promise<number> {
  const postgres = join(directory, 'postgres')
  const runningUrl = databaseUrl ?? findRunningPostgres(postgres)
  if (runningUrl !== undefined) return runCommand(runningUrl)
  if (!existsSync(dataDirectory(postgres))) {
    const advice = 'Where the service uses another database, set SVC_DB_URL as it does.'
    const sentence = `There is no data in ${shownPath(directory)} yet. npm start makes it, and a first token.`
    throw startError(`${sentence} ${advice}`)
  }
  const { release } = openDataDirectory(directory)
  process.once('exit', release)
  const server = await startPostgres({ directory: postgres })
  try {
    return runCommand(server.url)
  } finally {
    await server.stop()
  }
}

/** The command takes the database alone. */
function runCommand(databaseUrl: string): number {
  const args = [programs.auth, 'token', 'create', '--name', 'npm-start']
  const env = { ...inheritedEnv(), SVC_DB_URL: databaseUrl }
  const { status } = spawnSync(process.execPath, args, { env, stdio: 'inherit' })
  return status ?? 1
}
