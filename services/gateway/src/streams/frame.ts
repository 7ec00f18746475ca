/** One event of a stream, as the HTML standard (9.2, server-sent events) has them. */
export interface StreamEvent {
  /** What the client sends as `Last-Event-ID` when it comes back; no line break in it. */
  readonly id?: string
  /** Left out, clients get it as a `message`. */
  readonly event?: string
  readonly data: string
}

/** An event that is too large to be in memory as a whole: its bytes are made while they are sent. */
export interface SlicedFrame {
  readonly length: number
  slices(): AsyncIterable<Buffer>
}

/** An event as a stream sends it. */
export type Frame = Buffer | SlicedFrame

/** The bytes of an event. Encode it once and send the same buffer to all clients. */
export function encodeEvent({ id, event, data }: StreamEvent): Buffer {
  const lines = data.split(/\r\n|\r|\n/).map((line) => `data: ${line}\n`)
  const head = (id === undefined ? '' : `id: ${id}\n`) + (event ? `event: ${event}\n` : '')
  return Buffer.from(`${head}${lines.join('')}\n`)
}

/**
 * What a stream begins with: how long to wait before coming back and, if there is one, the id that
 * the client shall have from now on. It has no data, so that no client takes it for an event.
 */
export function encodeOpening(retryMs: number, id?: string): Buffer {
  return Buffer.from(`retry: ${retryMs}\n${id === undefined ? '' : `id: ${id}\n`}\n`)
}

/** A comment, which clients leave aside. */
export const heartbeat = Buffer.from(':\n\n')
