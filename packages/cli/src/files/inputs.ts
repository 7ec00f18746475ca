import { readdir, stat } from 'node:fs/promises'
import { join, relative, sep } from 'node:path'
import type { FileText } from '@svc/documents/files'
import { CliError, exitCodes } from '../exit-codes.ts'
import { readInput, unreadable } from '../input.ts'
import type { Terminal } from '../terminal.ts'

/** Of one file; a service takes less at once. */
export const maxBytes = 128 * 2 ** 20

const endings = /\.(?:ya?ml|json)$/i

/** A file, and the namespace of its documents that name none. */
interface Listed {
  readonly name: string
  readonly namespaceKey?: string
}

/**
 * Files by their names; of a folder, all YAML and JSON files in it and below, in the order of their paths,
 * without those that begin with a dot. `-` is stdin. A folder in a folder is that of a namespace, as `svc sync`
 * has it: what is in it and names no namespace is of that one.
 *
 * @throws {CliError} for what cannot be read
 */
export async function readInputs(
  terminal: Pick<Terminal, 'stdin'>,
  names: readonly string[],
): Promise<FileText[]> {
  const files: FileText[] = []
  for (const name of names) {
    for (const file of name === '-' ? [{ name }] : await listFiles(name)) {
      files.push({ ...file, text: await readInput(terminal, file.name, maxBytes) })
    }
  }
  return files
}

async function listFiles(name: string): Promise<readonly Listed[]> {
  const found = await stat(name).catch((error: unknown) => {
    throw unreadable(name, error)
  })
  if (!found.isDirectory()) return [{ name }]
  const entries = await readdir(name, { recursive: true, withFileTypes: true })
  const files = entries
    .filter((entry) => !entry.isDirectory() && endings.test(entry.name))
    .map((entry) => relative(name, join(entry.parentPath, entry.name)).split(sep))
    .filter((path) => !path.some((part) => part.startsWith('.')))
    .map(([folder = '', ...rest]) => ({
      name: join(name, folder, ...rest),
      ...(rest.length > 0 && /^[-_,A-Za-z0-9]+$/.test(folder) && { namespaceKey: folder }),
    }))
    .toSorted((a, b) => (a.name < b.name ? -1 : 1))
  if (files.length > 0) return files
  throw new CliError(exitCodes.usage, `${name} has no .yml, .yaml or .json file in it`)
}
