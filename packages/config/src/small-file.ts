import { closeSync, openSync, readSync } from 'node:fs'

/**
 * Reads a file as text, up to a size limit: a device or a dump that is named by mistake cannot fill
 * the memory.
 *
 * @throws {Error} with a `code`: those of the file system, `ETOOBIG` or `ENOTTEXT`
 */
export function readSmallFile(path: string, maxBytes: number): string {
  const file = openSync(path, 'r')
  try {
    const bytes = Buffer.alloc(maxBytes + 1)
    let length = 0
    let read = -1
    while (read !== 0 && length < bytes.length) {
      read = readSync(file, bytes, length, bytes.length - length, null)
      length += read
    }
    if (length > maxBytes) throw withCode('ETOOBIG')
    return toText(bytes.subarray(0, length))
  } finally {
    closeSync(file)
  }
}

/** @returns the reason why a file could not be read, as it goes on from the file's name */
export function unreadable(error: unknown): string {
  const code = codeOf(error)
  const known = new Map([
    ['ENOENT', 'does not exist'],
    ['ENOTDIR', 'does not exist'],
    ['EACCES', 'may not be read by this user'],
    ['EISDIR', 'is a directory'],
    ['ETOOBIG', 'is too large'],
    ['ENOTTEXT', 'is not text in UTF-8'],
  ])
  return known.get(code) ?? `cannot be read (${code})`
}

export function isMissing(error: unknown): boolean {
  return ['ENOENT', 'ENOTDIR'].includes(codeOf(error))
}

function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error ? String(error.code) : 'unknown'
}

function toText(bytes: Buffer): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes)
  } catch {
    throw withCode('ENOTTEXT')
  }
}

function withCode(code: string): Error {
  return Object.assign(new Error(code), { code })
}
