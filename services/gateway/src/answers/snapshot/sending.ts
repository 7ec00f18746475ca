import type { EventLoopScheduler } from '@svc/runtime'
import { encodeEvent, type Frame, type StreamEvent } from '../../streams/frame.ts'
import type { FlagListText } from './flag-list-text.ts'

/** Maximum bytes that are sent from memory. A larger text is made again, in slices, for each client. */
const maxSmallBytes = 2 ** 20

type EventHead = Omit<StreamEvent, 'data'>

export function isSmall({ length }: FlagListText): boolean {
  return length <= maxSmallBytes
}

/** The bytes of a small text, or of the event that has it as its data. */
export function wholeOf(text: FlagListText, event?: EventHead): Buffer {
  return Buffer.concat([...text.slices(...around(event))])
}

/** The event that has a text as its data. */
export function toFrame(
  text: FlagListText,
  event: EventHead,
  scheduler: EventLoopScheduler,
): Frame {
  if (isSmall(text)) return wholeOf(text, event)
  const [before, after] = around(event)
  const length = before.length + text.length + after.length
  return { length, slices: () => inTurns(text.slices(before, after), scheduler) }
}

/** Leaves the event loop to others between slices, also while a client takes them at once. */
export async function* inTurns(
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
