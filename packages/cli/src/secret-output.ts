import { writeFile } from 'node:fs/promises'
import type { CreateTokenResponse } from '@svc/client/api'
import type { Context } from './context.ts'
import { CliError, exitCodes } from './exit-codes.ts'

/**
 * Prints a new token, alone on stdout so that it can be piped; or writes it to a new file that only its owner
 * may read.
 */
export async function printToken(
  { output }: Context,
  answer: CreateTokenResponse,
  file: string | undefined,
): Promise<void> {
  const { clientToken, authentication } = answer
  if (file === undefined) {
    output.value(answer, () => clientToken)
    output.note('It is shown this once: keep it where secrets are kept.')
    return
  }
  try {
    await writeFile(file, `${clientToken}\n`, { mode: 0o600, flag: 'wx' })
  } catch (error) {
    // It is shown nowhere else, so it has to be replaced.
    throw new CliError(
      exitCodes.failed,
      `the token was made, and cannot be written: ${(error as Error).message}`,
      `\`svc tokens rotate ${authentication.id}\` gives it another secret.`,
    )
  }
  output.done({ authentication, file }, () => `the token is in ${file}`)
}

/** @throws {CliError} when the file exists: before a token is made for it */
export async function checkFree(file: string | undefined): Promise<void> {
  if (file === undefined) return
  const { access } = await import('node:fs/promises')
  const exists = await access(file).then(
    () => true,
    () => false,
  )
  if (!exists) return
  throw new CliError(
    exitCodes.usage,
    `${file} exists already`,
    'Give -o another name, or delete it.',
  )
}
