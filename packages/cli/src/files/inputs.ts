import { readdir, stat } from 'node:fs/promises'
import { join } from 'node:path'
import type { FileText } from '@svc/documents/files'
import { CliError, exitCodes } from '../exit-codes.ts'
import { readInput, unreadable } from '../input.ts'
import type { Terminal } from '../terminal.ts'

/** Of one file; a service takes less at once. */
const maxBytes = 128 * 2 ** 20

const endings = /\.(?:ya?ml|json)$/i

/**
 * Files by their names; of a folder, all YAML and JSON files in it and below, in the order of their paths,
 * without those that begin with a dot. `-` is stdin.
 *
 * @throws {CliError} for what cannot be read
 */
export async function readInputs(
  terminal: Pick<Terminal, 'stdin'>,
  names: readonly string[],
): Promise<FileText[]> {
  const files: FileText[] = []
  for (const name of names) {
    for (const file of name === '-' ? ['-'] : await listFiles(name)) {
      files.push({ name: file, text: await readInput(terminal, file, maxBytes) })
    }
  }
  return files
}

async function listFiles(name: string): Promise<readonly string[]> {
  const found = await stat(name).catch((error: unknown) => {
    throw unreadable(name, error)
  })
  if (!found.isDirectory()) return [name]
  const entries = await readdir(name, { recursive: true, withFileTypes: true })
  const files = entries
    .filter((entry) => !entry.isDirectory() && endings.test(entry.name))
    .map((entry) => join(entry.parentPath, entry.name))
    .filter((path) => !/(?:^|[\\/])\.[^\\/.]/.test(path.slice(name.length)))
    .sort()
  if (files.length > 0) return files
  throw new CliError(exitCodes.usage, `${name} has no .yml, .yaml or .json file in it`)
}
