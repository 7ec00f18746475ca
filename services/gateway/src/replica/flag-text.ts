import type { FlagRecord, FlagSource } from '@svc/evaluation'
import { FlagState, FlagStateHead } from '@svc/proto/resource/v1/watch'
import { type DecodedFlag, writeText } from './flag-lines.ts'
import { readRecord } from './flag-record.ts'
import { writeRecord } from './record-text.ts'

/**
 * A flag as it was received, until its text is needed, and then as its text. Both have a character for
 * each byte: a string takes 16 bytes besides, an array of bytes 200.
 */
export class EncodedFlag implements FlagSource {
  readonly key: string
  #content: string
  #isText = false
  #recordText: string | undefined

  /** @param state an encoded `FlagState`; a slice of a received message would keep all of it in memory */
  constructor(state: Buffer) {
    this.key = FlagStateHead.decode(state).flag?.key ?? ''
    this.#content = state.toString('latin1')
  }

  get bytes(): number {
    return this.#content.length
  }

  /** Once there is a text, of the variants those that are served. */
  toRecord(): FlagRecord {
    if (this.#isText) return readRecord(this.#content)
    const { flag, rules, rollouts } = this.#decode()
    return { ...flag, rules, rollouts }
  }

  /**
   * The flag as the JSON of snapshots, in lines: the attachments, then the text that refers to them.
   * It is UTF-8 with a character for each byte, which takes no encoding when sent.
   */
  get text(): string {
    if (!this.#isText) {
      this.#content = Buffer.from(writeText(this.#decode())).toString('latin1')
      this.#isText = true
    }
    return this.#content
  }

  /** The flag as the JSON of records, likewise. It is kept besides, where clients take records. */
  get recordText(): string {
    this.#recordText ??= Buffer.from(writeRecord(this.toRecord())).toString('latin1')
    return this.#recordText
  }

  #decode(): DecodedFlag {
    const { flag, ...rest } = FlagState.decode(Buffer.from(this.#content, 'latin1'))
    if (flag === undefined) throw new Error('a state without its flag')
    return { flag, ...rest }
  }
}
