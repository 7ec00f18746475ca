import { constants, openSync, writeSync } from 'node:fs'

/** Maximum bytes that wait for an output that takes nothing: some thousand lines. */
const maxWaitingBytes = 2 ** 20

/** Interval at which such an output is tried again, in milliseconds. */
const retryMs = 100

/** Outputs with lines that wait: a process that ends tries a last time. */
const behind = new Set<LogOutput>()
let isWatchingExit = false

function flushAll(): void {
  for (const output of behind) output.flush()
}

/**
 * Writes lines to a file descriptor at once, so that a crash loses none, and never waits for it: what a full
 * pipe or disk does not take is kept, up to a bound, and tried again. Beyond the bound lines are dropped, and
 * counted.
 */
export class LogOutput {
  readonly #fd: number
  readonly #onDropped: (count: number) => void
  readonly #write: (fd: number, bytes: Buffer) => number
  readonly #waiting: Buffer[] = []
  #waitingBytes = 0
  #dropped = 0
  #timer: NodeJS.Timeout | undefined

  /**
   * @param onDropped receives how many lines were dropped when the output takes some again
   * @param write writes a part of the bytes, or throws; for tests
   */
  constructor(fd: number, onDropped: (count: number) => void, write = writeNow) {
    this.#fd = write === writeNow ? openNonBlocking(fd) : fd
    this.#onDropped = onDropped
    this.#write = write
  }

  /** Lines that were dropped and have not been reported yet. */
  get dropped(): number {
    return this.#dropped
  }

  write(line: string): void {
    const bytes = Buffer.from(line)
    if (this.#waiting.length > 0 && this.#waitingBytes + bytes.length > maxWaitingBytes) {
      this.#dropped += 1
      return
    }
    this.#waiting.push(bytes)
    this.#waitingBytes += bytes.length
    if (this.#timer === undefined) this.flush()
  }

  /** Writes what waits, as far as the output takes it. */
  flush(): void {
    clearTimeout(this.#timer)
    this.#timer = undefined
    try {
      for (let first = this.#waiting[0]; first !== undefined; first = this.#waiting[0]) {
        const written = this.#write(this.#fd, first)
        this.#waitingBytes -= written
        // A part of a line: the rest has to come next.
        if (written < first.length) this.#waiting[0] = first.subarray(written)
        else this.#waiting.shift()
      }
    } catch {
      if (!isWatchingExit) process.once('exit', flushAll)
      isWatchingExit = true
      behind.add(this)
      this.#timer = setTimeout(() => this.flush(), retryMs).unref()
      return
    }
    behind.delete(this)
    const dropped = this.#dropped
    this.#dropped = 0
    if (dropped > 0) this.#onDropped(dropped)
  }
}

function writeNow(fd: number, bytes: Buffer): number {
  return writeSync(fd, bytes)
}

/**
 * Opens what a descriptor refers to by itself: whether writes wait is a property of the opened file, which
 * other processes share. What cannot be opened again, such as a socket, is used as it is.
 */
function openNonBlocking(fd: number): number {
  try {
    const { O_WRONLY, O_APPEND, O_NONBLOCK } = constants
    return openSync(`/proc/self/fd/${fd}`, O_WRONLY | O_APPEND | O_NONBLOCK)
  } catch {
    return fd
  }
}
