import { readFile } from 'node:fs/promises'
import { SvcError } from '../api/error.ts'
import { reasonOf } from '../http.ts'

/** Reads a file with a token. @throws {SvcError} code 16 */
export async function readTokenFile(file: string): Promise<string> {
  try {
    return await readFile(file, 'utf8')
  } catch (error) {
    const message = `the token file cannot be read: ${reasonOf(error)}`
    throw new SvcError(message, { status: 0, code: 16, cause: error })
  }
}
