import { closeSync, openSync, readSync, renameSync, statSync } from 'node:fs'
import { join } from 'node:path'

/** Beyond this the log of earlier runs is set aside: enough for weeks, and nobody's disk fills. */
const maxLogBytes = 5 * 1024 * 1024

export function logFile(directory: string): string {
  return join(directory, 'postgres.log')
}

/** Opens the log for appending. What was there stays, in one older file when it was long. */
export function openLog(directory: string): { descriptor: number; start: number } {
  const path = logFile(directory)
  const length = lengthOf(path)
  const rotate = length > maxLogBytes
  if (rotate) renameSync(path, `${path}.1`)
  return { descriptor: openSync(path, 'a', 0o600), start: rotate ? 0 : length }
}

/** What the server wrote last: at most 4 KB, from `start` on. */
export function readLogEnd(directory: string, start: number): string {
  const path = logFile(directory)
  const from = Math.max(start, lengthOf(path) - 4096)
  const buffer = Buffer.alloc(4096)
  const descriptor = openSync(path, 'r')
  try {
    return buffer.toString('utf8', 0, readSync(descriptor, buffer, 0, buffer.length, from))
  } finally {
    closeSync(descriptor)
  }
}

function lengthOf(path: string): number {
  return statSync(path, { throwIfNoEntry: false })?.size ?? 0
}
