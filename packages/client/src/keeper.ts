import type { FlagLine, RecordsChange, SegmentLine } from './records.ts'
import { unref } from './timers.ts'

/** Minimum time between two writes, in milliseconds. */
const smallIntervalMs = 5000
const largeIntervalMs = 60_000

/** From this length on, in characters, a file is large: an SSD takes 50 MB a minute for years. */
const minLargeLength = 2 ** 20

/** Codes of the errors of a file that is damaged, of another URL or cannot be read, and of one of another namespace. */
export const damaged = 15
export const notOurs = 9

/** The flags of a namespace, to be kept for a start without the server. */
export interface Keepsake {
  readonly revision: number
  readonly flags: readonly FlagLine[]
  readonly segments: readonly SegmentLine[]
}

/** What was read of a file. */
export interface KeptFlags {
  /** The whole. */
  readonly change: RecordsChange
  /** In milliseconds since 1970. */
  readonly writtenAtMs: number
}

/** A file of flags. */
export interface KeptFile {
  readonly name: string
  /**
   * @returns nothing without a file
   * @throws {SvcError} code {@link damaged} or {@link notOurs}
   */
  read(): Promise<KeptFlags | undefined>
  /** @returns its length in characters; @throws when it cannot be written; the file before stays then */
  write(keepsake: Keepsake): Promise<number>
}

/** Writes the file when there is something new, but not too often. */
export class Keeper {
  readonly #file: KeptFile
  readonly #take: () => Keepsake
  readonly #onFailure: (error: unknown) => void
  #length = 0
  #writtenAt = Number.NEGATIVE_INFINITY
  #timer: ReturnType<typeof setTimeout> | undefined
  #writing: Promise<void> | undefined
  #isDirty = false
  #hasFailed = false
  #isClosed = false

  /** @param take what there is to keep @param onFailure is told of the first failure after a success */
  constructor(file: KeptFile, take: () => Keepsake, onFailure: (error: unknown) => void) {
    this.#file = file
    this.#take = take
    this.#onFailure = onFailure
  }

  /** There is something new. */
  schedule(): void {
    this.#isDirty = true
    if (this.#timer !== undefined || this.#writing !== undefined || this.#isClosed) return
    const isSoon = this.#length < minLargeLength && !this.#hasFailed
    const intervalMs = isSoon ? smallIntervalMs : largeIntervalMs
    const waitMs = Math.max(0, this.#writtenAt + intervalMs - performance.now())
    this.#timer = setTimeout(() => {
      this.#timer = undefined
      this.#writing = this.#write()
    }, waitMs)
    unref(this.#timer)
  }

  /** Writes what is still to be written, in one attempt. */
  async close(): Promise<void> {
    this.#isClosed = true
    clearTimeout(this.#timer)
    await this.#writing
    if (this.#isDirty) await this.#write()
  }

  async #write(): Promise<void> {
    this.#isDirty = false
    try {
      this.#length = await this.#file.write(this.#take())
      this.#hasFailed = false
    } catch (error) {
      this.#isDirty = true
      if (!this.#hasFailed) this.#onFailure(error)
      this.#hasFailed = true
    }
    this.#writtenAt = performance.now()
    this.#writing = undefined
    if (this.#isDirty) this.schedule()
  }
}
