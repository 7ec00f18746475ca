import { closeSync, fstatSync, openSync, renameSync, writeSync } from 'node:fs'

/** Days of ordinary work; with the file before it, twice as much is kept. */
const defaultMaxBytes = 10 * 1024 * 1024

/** A log that cannot fill the disk: when it is long enough it is set aside as `….1` and begun anew. */
export class LogFile {
  readonly #path: string
  readonly #maxBytes: number
  #descriptor: number
  #bytes: number

  constructor(path: string, maxBytes = defaultMaxBytes) {
    this.#path = path
    this.#maxBytes = maxBytes
    // It holds the first token: for its owner only.
    this.#descriptor = openSync(path, 'a', 0o600)
    this.#bytes = fstatSync(this.#descriptor).size
  }

  /** Writes at once, so that a crash loses no line. */
  write(line: string): void {
    try {
      if (this.#bytes > this.#maxBytes) this.#begin()
      this.#bytes += writeSync(this.#descriptor, `${line}\n`)
    } catch {
      // The disk is full, or the directory is gone: that ends the log, and nothing else.
    }
  }

  close(): void {
    closeSync(this.#descriptor)
  }

  #begin(): void {
    closeSync(this.#descriptor)
    renameSync(this.#path, `${this.#path}.1`)
    this.#descriptor = openSync(this.#path, 'a', 0o600)
    this.#bytes = 0
  }
}
