import { createReadStream } from 'node:fs'
import { readdir, stat } from 'node:fs/promises'
import { join } from 'node:path'
import type { Readable } from 'node:stream'
import type { FileText } from '@svc/documents/files'
import { CliError, exitCodes } from '../exit-codes.ts'
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
      files.push({ name: file, text: await readText(terminal, file) })
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

async function readText({ stdin }: Pick<Terminal, 'stdin'>, name: string): Promise<string> {
  const bytes = name === '-' ? await readAll(stdin, 'stdin') : await readFile(name)
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes)
  } catch {
    throw new CliError(exitCodes.usage, `${name} is not UTF-8: save it in that encoding`)
  }
}

async function readFile(name: string): Promise<Buffer> {
  try {
    return await readAll(createReadStream(name), name)
  } catch (error) {
    if (error instanceof CliError) throw error
    throw unreadable(name, error)
  }
}

async function readAll(stream: Readable, name: string): Promise<Buffer> {
  const chunks: Buffer[] = []
  let bytes = 0
  for await (const chunk of stream) {
    const buffer = Buffer.from(chunk)
    bytes += buffer.length
    if (bytes > maxBytes) {
      const most = maxBytes / 2 ** 20
      throw new CliError(exitCodes.usage, `${name} is larger than ${most} MiB: split it`)
    }
    chunks.push(buffer)
  }
  return Buffer.concat(chunks)
}

function unreadable(name: string, error: unknown): CliError {
  const isMissing = (error as NodeJS.ErrnoException).code === 'ENOENT'
  const message = isMissing ? 'there is no such file' : (error as Error).message
  return new CliError(exitCodes.usage, `${name}: ${message}`)
}
