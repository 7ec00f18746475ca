import { AppError, type EventLoopScheduler } from '@svc/runtime'
import { readFlagText } from '../../replica/flag-text.ts'
import { flagTextOf, type NamespaceView } from '../../replica/namespace-state.ts'
import type { Form } from './form.ts'
import { SegmentTexts } from './segment-texts.ts'

/**
 * Maximum bytes of a snapshot: enough for 100,000 flags with several rules each. Clients have to parse
 * it at once.
 */
const maxBytes = 256 * 2 ** 20

/** Minimum bytes of a slice: about a millisecond of work, and few calls of the kernel and of zlib. */
const sliceBytes = 256 * 1024

/** JSON text with a list of flags, put together slice by slice whenever it is sent. */
export interface FlagListText {
  /** In bytes. */
  readonly length: number
  /** @param before ASCII text, as is `after` */
  slices(before?: string, after?: string): Generator<Buffer, void>
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
  const context = new SegmentTexts(segments, form)
  let length = head.length + tail.length + Math.max(0, flags.length - 1)
  await scheduler.yield()
  for (const flag of flags) {
    for (const text of readFlagText(flagTextOf(flag), context)) length += text.length
    if (length > maxBytes) throw tooLarge()
    if (scheduler.shouldYield) await scheduler.yield()
  }
  function* slices(before = '', after = ''): Generator<Buffer, void> {
    let slice = before + head
    let separator = ''
    for (const flag of flags) {
      slice += separator
      separator = ','
      for (const text of readFlagText(flagTextOf(flag), context)) {
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

function tooLarge(): AppError {
  const message = 'the namespace is too large for a snapshot'
  return new AppError('invalid_argument', 'snapshot_too_large', message)
}
