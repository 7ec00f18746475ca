import { SvcError } from './api/error.ts'
import type { Slices } from './slices.ts'

/** Maximum characters of a line: a flag with the largest attachments there can be has fewer. */
const maxLineLength = 64 * 2 ** 20

/** Splits a text that comes in pieces into its lines. */
export class LineSplitter {
  readonly #take: (line: string) => void
  readonly #decoder = new TextDecoder()
  #rest = ''

  constructor(take: (line: string) => void) {
    this.#take = take
  }

  /** @throws {SvcError} code 8 for a line that is too long */
  push(bytes: Uint8Array): void {
    const text = this.#rest + this.#decoder.decode(bytes, { stream: true })
    let start = 0
    for (let end = text.indexOf('\n'); end >= 0; end = text.indexOf('\n', start)) {
      this.#take(text.slice(start, end))
      start = end + 1
    }
    this.#rest = text.slice(start)
    if (this.#rest.length > maxLineLength) {
      throw new SvcError('the server sends a line without end', { status: 0, code: 8 })
    }
  }

  /** Takes what is left after the last line break, if anything is. */
  end(): void {
    const rest = this.#rest + this.#decoder.decode()
    this.#rest = ''
    if (rest !== '') this.#take(rest)
  }
}

/**
 * Reads a body to its end, in slices.
 *
 * @param afterPiece called after each piece, when its lines have been taken
 */
export async function readLines(
  body: ReadableStream<Uint8Array>,
  slices: Slices,
  take: (line: string) => void,
  afterPiece: () => void | Promise<void>,
): Promise<void> {
  const splitter = new LineSplitter(take)
  const reader = body.getReader()
  try {
    for (;;) {
      const { done, value } = await reader.read()
      if (done) break
      splitter.push(value)
      await afterPiece()
      if (slices.isOver) await slices.next()
    }
    splitter.end()
    await afterPiece()
  } catch (error) {
    // The connection is of no use any more. What it says of its end is not of interest.
    void reader.cancel().catch(() => {})
    throw error
  }
}
