import { createReadStream } from 'node:fs'
import type { Readable } from 'node:stream'
import { CliError, exitCodes } from './exit-codes.ts'
import type { Terminal } from './terminal.ts'

/** Streams that were read to their ends. */
const used = new WeakSet<Readable>()

/**
 * The text of a file, or of stdin, which is `-`. It is read as it comes, so that one without an end is refused.
 *
 * @throws {CliError} for what cannot be read, is larger than `maxBytes`, or is not UTF-8
 */
export async function readInput(
  { stdin }: Pick<Terminal, 'stdin'>,
  name: string,
  maxBytes: number,
): Promise<string> {
  const bytes = name === '-' ? await readStdin(stdin, maxBytes) : await readFile(name, maxBytes)
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes)
  } catch {
    throw new CliError(exitCodes.usage, `${name} is not UTF-8: save it in that encoding`)
  }
}

async function readStdin(stdin: Readable, maxBytes: number): Promise<Buffer> {
  if (used.has(stdin)) {
    throw new CliError(exitCodes.usage, 'stdin is read once, and - is given twice', 'Give a file.')
  }
  used.add(stdin)
  return readAll(stdin, 'stdin', maxBytes)
}

async function readFile(name: string, maxBytes: number): Promise<Buffer> {
  try {
    return await readAll(createReadStream(name), name, maxBytes)
  } catch (error) {
    if (error instanceof CliError) throw error
    throw unreadable(name, error)
  }
}

async function readAll(stream: Readable, name: string, maxBytes: number): Promise<Buffer> {
  const chunks: Buffer[] = []
  let bytes = 0
  for await (const chunk of stream) {
    const buffer = Buffer.from(chunk)
    bytes += buffer.length
    if (bytes > maxBytes) {
      throw new CliError(exitCodes.usage, `${name} is larger than ${sizeText(maxBytes)}`)
    }
    chunks.push(buffer)
  }
  return Buffer.concat(chunks)
}

function sizeText(bytes: number): string {
  return bytes >= 2 ** 20 ? `${bytes / 2 ** 20} MiB` : `${bytes / 2 ** 10} KiB`
}

/** The error of a file that cannot be read. */
export function unreadable(name: string, error: unknown): CliError {
  const isMissing = (error as NodeJS.ErrnoException).code === 'ENOENT'
  const message = isMissing ? 'there is no such file' : (error as Error).message
  return new CliError(exitCodes.usage, `${name}: ${message}`, undefined, { cause: error })
}
