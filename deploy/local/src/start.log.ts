import { appendFileSync, renameSync, statSync } from 'node:fs'

/** Days of ordinary work; with the file before it, twice as much is kept. */
const maxLogBytes = 10 * 1024 * 1024

/**
 * Appends a line to a log that cannot fill the disk: when it is long enough it is set aside as `….1`
 * and begun anew. Written at once, so that a crash loses no line.
 */
export function appendToLog(path: string, line: string, maxBytes = maxLogBytes): void {
  try {
    const { size = 0 } = statSync(path, { throwIfNoEntry: false }) ?? {}
    if (size > maxBytes) renameSync(path, `${path}.1`)
    // It holds the first token: for its owner only.
    appendFileSync(path, `${line}\n`, { mode: 0o600 })
  } catch {
    // The disk is full, or the directory is gone: that ends the log, and nothing else.
  }
}
