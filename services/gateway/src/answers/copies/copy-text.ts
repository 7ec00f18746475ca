import { AppError, type EventLoopScheduler } from '@svc/runtime'
import { encodeEvent, type Frame, type StreamEvent } from '../../streams/frame.ts'
import { lineBreak, type Pieces } from './form.ts'

/**
 * Maximum bytes of a copy: enough for 100,000 flags with several rules each. Many clients have to parse it at
 * once.
 */
const maxBytes = 256 * 2 ** 20

/** Maximum bytes that are sent from memory. A larger text is made again, in slices, for each client. */
const maxSmallBytes = 2 ** 20

/** Minimum bytes of a slice: about a millisecond of work, and few calls of the kernel and of zlib. */
const sliceBytes = 256 * 1024

/** What begins a line of an event. */
const dataField = 'data: '

/** What an event has besides its data. */
type EventHead = Omit<StreamEvent, 'data'>

/** The text of a copy or of a change, put together slice by slice whenever it is sent. */
export interface CopyText {
  /** In bytes. */
  readonly length: number
  /** How many there are in it; in an event each takes more bytes. */
  readonly lineBreaks: number
  /** @param event the head of an event that has the text as its data */
  slices(event?: EventHead): Generator<Buffer, void>
}

/**
 * Looks through the pieces of a text, in slices.
 *
 * @throws {AppError} `invalid_argument` when the text is too large
 */
export async function toCopyText(pieces: Pieces, scheduler: EventLoopScheduler): Promise<CopyText> {
  let length = 0
  let lineBreaks = 0
  await scheduler.yield()
  for (const piece of pieces()) {
    length += piece.length
    if (piece === lineBreak) lineBreaks++
    if (length > maxBytes) {
      const message = 'the namespace is too large to be sent: it takes more than 256 MiB'
      throw new AppError('invalid_argument', 'snapshot_too_large', message)
    }
    if (scheduler.shouldYield) await scheduler.yield()
  }
  function* slices(event?: EventHead) {
    const [before, after] = around(event)
    const ownLineBreak = event === undefined ? lineBreak : lineBreak + dataField
    let slice = before
    for (const piece of pieces()) {
      slice += piece === lineBreak ? ownLineBreak : piece
      if (slice.length < sliceBytes) continue
      yield Buffer.from(slice, 'latin1')
      slice = ''
    }
    yield Buffer.from(slice + after, 'latin1')
  }
  return { length, lineBreaks, slices }
}

export function isSmall({ length }: CopyText): boolean {
  return length <= maxSmallBytes
}

/** The bytes of a small text, or of the event that has it as its data. */
export function wholeOf(text: CopyText, event?: EventHead): Buffer {
  return Buffer.concat([...text.slices(event)])
}

/** The event that has a text as its data. */
export function toFrame(text: CopyText, event: EventHead, scheduler: EventLoopScheduler): Frame {
  if (isSmall(text)) return wholeOf(text, event)
  const { length, lineBreaks } = text
  return {
    length: around(event).join('').length + length + lineBreaks * dataField.length,
    slices: () => yieldBetween(text.slices(event), scheduler),
  }
}

/** Leaves the event loop to other tasks between slices, also while a client takes them at once. */
export async function* yieldBetween(
  slices: Iterable<Buffer>,
  scheduler: EventLoopScheduler,
): AsyncGenerator<Buffer, void> {
  for (const slice of slices) {
    yield slice
    if (scheduler.shouldYield) await scheduler.yield()
  }
}

function around(event: EventHead | undefined): [before: string, after: string] {
  if (event === undefined) return ['', '']
  const empty = encodeEvent({ ...event, data: '' }).toString()
  return [empty.slice(0, -2), empty.slice(-2)]
}
