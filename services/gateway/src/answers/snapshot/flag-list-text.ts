import { AppError, type EventLoopScheduler } from '@svc/runtime'
import { flagTextOf, type NamespaceView } from '../../replica/namespace-state.ts'
import { encodeEvent, type Frame, type StreamEvent } from '../../streams/frame.ts'
import { FlagReader } from './flag-reader.ts'
import type { Form } from './form.ts'

/**
 * Maximum bytes of a snapshot: enough for 100,000 flags with several rules each. Clients have to parse
 * it at once.
 */
const maxBytes = 256 * 2 ** 20

/** Maximum bytes that are sent from memory. A larger text is made again, in slices, for each client. */
const maxSmallBytes = 2 ** 20

/** Minimum bytes of a slice: about a millisecond of work, and few calls of the kernel and of zlib. */
const sliceBytes = 256 * 1024

/** What an event has besides its data. */
type EventHead = Omit<StreamEvent, 'data'>

/** JSON text with a list of flags, put together slice by slice whenever it is sent. */
export interface FlagListText {
  /** In bytes. */
  readonly length: number
  /** @param event the head of an event that has the text as its data */
  slices(event?: EventHead): Generator<Buffer, void>
}

/**
 * Looks through the flags of a view, in slices.
 *
 * @param head ASCII text, as is `tail`
 * @throws {AppError} `invalid_argument` when the text is too large
 */
export async function toFlagListText(
  { flags, segments }: NamespaceView,
  form: Form,
  [head, tail]: readonly [head: string, tail: string],
  scheduler: EventLoopScheduler,
): Promise<FlagListText> {
  const reader = new FlagReader(segments, form)
  let length = head.length + tail.length + Math.max(0, flags.length - 1)
  await scheduler.yield()
  for (const flag of flags) {
    for (const text of reader.read(flagTextOf(flag))) length += text.length
    if (length > maxBytes) {
      const message = 'the namespace is too large for a snapshot'
      throw new AppError('invalid_argument', 'snapshot_too_large', message)
    }
    if (scheduler.shouldYield) await scheduler.yield()
  }
  function* slices(event?: EventHead) {
    const [before, after] = around(event)
    let slice = before + head
    let separator = ''
    for (const flag of flags) {
      slice += separator
      separator = ','
      for (const text of reader.read(flagTextOf(flag))) {
        slice += text
        if (slice.length < sliceBytes) continue
        yield Buffer.from(slice, 'latin1')
        slice = ''
      }
    }
    yield Buffer.from(slice + tail + after, 'latin1')
  }
  return { length, slices }
}

export function isSmall({ length }: FlagListText): boolean {
  return length <= maxSmallBytes
}

/** The bytes of a small text, or of the event that has it as its data. */
export function wholeOf(text: FlagListText, event?: EventHead): Buffer {
  return Buffer.concat([...text.slices(event)])
}

/** The event that has a text as its data. */
export function toFrame(
  text: FlagListText,
  event: EventHead,
  scheduler: EventLoopScheduler,
): Frame {
  if (isSmall(text)) return wholeOf(text, event)
  const length = around(event).join('').length + text.length
  return { length, slices: () => yieldBetween(text.slices(event), scheduler) }
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
