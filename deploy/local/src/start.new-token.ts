import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { AppError } from '@svc/runtime'
import { dataDirectory } from './postgres.cluster.ts'
import { findRunningPostgres, startPostgres } from './postgres.ts'
import { openDataDirectory, shownPath } from './start.data.ts'
import { authCommand } from './start.services.ts'

/**
 * Makes a token in the database of a data directory, and prints it, alone on standard output. A stack
 * that runs goes on. Where none does, the database runs for as long as this takes.
 *
 * @param databaseUrl used in place of the database in the directory
 * @returns the exit code
 * @throws {AppError} `failed_precondition` when there is no such database, or it does not start
 */
export async function printNewToken(
  directory: string,
  databaseUrl: string | undefined,
): Promise<number> {
  if (databaseUrl !== undefined) return runCommand(databaseUrl)
  const postgres = join(directory, 'postgres')
  if (!existsSync(dataDirectory(postgres))) {
    const sentences = [
      `There is no data in ${shownPath(directory)} yet. npm start makes it, and a first token.`,
      'Where the service uses another database, set SVC_DB_URL as it does.',
    ]
    throw new AppError('failed_precondition', 'no_data', sentences.join(' '))
  }
  const pidFile = await openDataDirectory(directory).catch((error: unknown) => {
    if (error instanceof AppError && error.reason === 'in_use') return undefined
    throw error
  })
  if (pidFile === undefined) return runCommand(urlOfRunning(postgres))
  process.once('exit', () => pidFile.release())
  const server = await startPostgres({ directory: postgres })
  try {
    return await runCommand(server.url)
  } finally {
    await server.stop()
  }
}

function urlOfRunning(postgres: string): string {
  const url = findRunningPostgres(postgres)
  if (url !== undefined) return url
  const message = `npm start runs, but its database in ${postgres} does not. Try again, or stop it first.`
  throw new AppError('failed_precondition', 'no_database', message)
}

async function runCommand(databaseUrl: string): Promise<number> {
  const { script, env } = authCommand(databaseUrl)
  const words = ['token', 'create', '--name', 'npm-start']
  const child = spawn(process.execPath, [script, ...words], {
    env,
    stdio: ['ignore', 'inherit', 'inherit'],
  })
  const [exitCode] = await once(child, 'exit')
  return typeof exitCode === 'number' ? exitCode : 1
}
