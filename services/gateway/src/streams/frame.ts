import { validateHeaderValue } from 'node:http'

/** One event of a stream, as the HTML standard (9.2, server-sent events) has them. */
export interface StreamEvent {
  /** What the client sends as `Last-Event-ID` when it reconnects; no line break in it. */
  readonly id?: string
  /** Left out, clients get it as a `message`. */
  readonly event?: string
  readonly data: string
}

/** An event that is too large to be in memory as a whole: its bytes are made while they are sent. */
export interface SlicedFrame {
  readonly length: number
  /** It throws an `AppError` where the event cannot be sent now: the stream ends, and its client comes back. */
  slices(): AsyncIterable<Buffer>
}

/** An event as a stream sends it. */
export type Frame = Buffer | SlicedFrame

/** What a stream is answered with besides what every answer has. */
const streamHeaders = {
  'content-type': 'text/event-stream',
  'cache-control': 'no-cache, no-store',
  // Kept as it is by nginx, which would collect it otherwise.
  'x-accel-buffering': 'no',
  // The body has no length: it ends with the connection.
  connection: 'close',
}

type Headers = Readonly<Record<string, number | string | readonly string[] | undefined>>

/**
 * What a stream begins with (RFC 9112, section 6.3): the head of the answer, how long to wait before
 * coming back and, if there is one, the id that the client shall have from now on. That has no data,
 * so that no client takes it for an event.
 */
export function encodeOpening(headers: Headers, retryMs: number, id?: string): Buffer {
  const all = { ...headers, date: new Date().toUTCString(), ...streamHeaders }
  let head = 'HTTP/1.1 200 OK\r\n'
  for (const [name, value = []] of Object.entries(all)) {
    for (const text of typeof value === 'object' ? value : [value]) {
      validateHeaderValue(name, String(text))
      head += `${name}: ${text}\r\n`
    }
  }
  const opening = `retry: ${retryMs}\n${id === undefined ? '' : `id: ${id}\n`}\n`
  return Buffer.from(`${head}\r\n${opening}`, 'latin1')
}

/** The bytes of an event. Encode it once and send the same buffer to all clients. */
export function encodeEvent({ id, event, data }: StreamEvent): Buffer {
  const lines = data.split(/\r\n|\r|\n/).map((line) => `data: ${line}\n`)
  const head = (id === undefined ? '' : `id: ${id}\n`) + (event ? `event: ${event}\n` : '')
  return Buffer.from(`${head}${lines.join('')}\n`)
}

/** A comment, which clients leave aside. */
export const heartbeat = Buffer.from(':\n\n')

/** Minimum bytes per millisecond of a client that takes something large; a slower one is cut off. */
const minBytesPerMs = 256

/** Time until that counts, in milliseconds: a client may pause. */
const graceMs = 60_000

/** Longest that something large is sent, in milliseconds: meanwhile it has the turn of another client. */
export function longestSendMs(bytes: number): number {
  return graceMs + Math.ceil(bytes / minBytesPerMs)
}
