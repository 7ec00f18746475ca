import { unavailable } from '@svc/runtime'
import type { FastifyInstance, FastifyReply } from 'fastify'
import { EventStream, type StreamEnd } from './event-stream.ts'
import { encodeOpening } from './frame.ts'
import { Topic } from './topic.ts'

/**
 * How many streams may be open at once, of the 10,000 connections that the gateway has: the rest is
 * left to those who evaluate. At some 20 KB each they take 160 MB.
 */
const usualMaxStreams = 8000

/** Below the 30 s after which the most impatient of common proxies takes a silent answer for dead. */
const usualHeartbeatMs = 15_000

/** Heartbeats are spread over as many turns, so that none of them holds up evaluations. */
const turns = 15

/** How soon those come back who were sent away at the same time: not all at once. */
const minRetryMs = 1000
const retrySpreadMs = 4000

export interface StreamOptions {
  /** What the client is to send as `Last-Event-ID` if it comes back before the first event. */
  readonly id?: string
  /**
   * A client for which more than this would wait, everything counted, is taken for one that does not
   * read. When nothing waits, an event of any size goes out.
   */
  readonly maxWaitingBytes: number
  /** Asked with each heartbeat. When it says no, or cannot tell, the stream ends. */
  readonly mayGoOn?: () => boolean | Promise<boolean>
  readonly onEnd?: (reason: StreamEnd) => void
}

/** Makes the streams of an app, which has one of these for all its routes; they end when it closes. */
export function addEventStreams(app: FastifyInstance): EventStreams {
  const streams = new EventStreams()
  app.addHook('preClose', async () => streams.close())
  return streams
}

/**
 * The open event streams (SSE) of this gateway. A route with one does this, after its guard:
 *
 *     const stream = streams.open(reply, `changes of ${namespaceKey}`, options)
 *     stream.send(encodeEvent({ id: '42', data: '{}' })) // to this client only
 *
 * and whoever hears of a change, once for all clients:
 *
 *     streams.publish(`changes of ${namespaceKey}`, encodeEvent(…))
 *
 * From `open` on a client gets what is published about its topic, and nothing that was before: to
 * leave no gap, open the stream and look at the state in the same turn.
 */
export class EventStreams {
  readonly #maxStreams: number
  readonly #topics = new Map<string, Topic>()
  /** By the turn in which they have their heartbeat. */
  readonly #beats = Array.from({ length: turns }, () => new Map<EventStream, StreamOptions>())
  readonly #timer: NodeJS.Timeout
  #size = 0
  #opened = 0
  #turn = 0
  #isClosed = false

  constructor(options: { readonly maxStreams?: number; readonly heartbeatMs?: number } = {}) {
    const { maxStreams = usualMaxStreams, heartbeatMs = usualHeartbeatMs } = options
    this.#maxStreams = maxStreams
    this.#timer = setInterval(() => this.#beat(), heartbeatMs / turns).unref()
  }

  /** How many are open. */
  get size(): number {
    return this.#size
  }

  /**
   * Answers with a stream. The reply belongs to the stream from then on.
   *
   * @throws {AppError} `unavailable` when there are as many as may be, or the gateway closes
   */
  open(reply: FastifyReply, topicKey: string, options: StreamOptions): EventStream {
    if (this.#isClosed) throw unavailable('the gateway is closing, try again')
    if (this.#size >= this.#maxStreams) throw unavailable('too many event streams, try again')
    const topic = this.#topics.get(topicKey) ?? new Topic()
    const beats = this.#beats[this.#opened++ % turns]
    const stream = new EventStream(reply.raw, options.maxWaitingBytes, (reason) => {
      this.#size--
      beats?.delete(stream)
      topic.delete(stream)
      if (topic.size === 0) this.#topics.delete(topicKey)
      options.onEnd?.(reason)
    })
    this.#size++
    this.#topics.set(topicKey, topic)
    topic.add(stream)
    beats?.set(stream, options)
    reply.headers(streamHeaders).hijack()
    for (const [name, value] of Object.entries(reply.getHeaders())) {
      if (value !== undefined) reply.raw.setHeader(name, value)
    }
    stream.send(encodeOpening(minRetryMs + Math.floor(Math.random() * retrySpreadMs), options.id))
    // Who left while we looked at the credential has done so already, and will not do so again.
    if (reply.raw.destroyed) stream.end()
    return stream
  }

  /** Sends an event to all streams of a topic, the first of them at once. */
  publish(topicKey: string, frame: Buffer): void {
    this.#topics.get(topicKey)?.publish(frame)
  }

  /** Ends the streams of a topic in good order. */
  end(topicKey: string): void {
    this.#topics.get(topicKey)?.end()
  }

  /** Whether anyone listens; if not, nothing has to be made for them. */
  has(topicKey: string): boolean {
    return this.#topics.has(topicKey)
  }

  /** Ends all of them in good order, and opens no more. */
  close(): void {
    this.#isClosed = true
    clearInterval(this.#timer)
    for (const beats of this.#beats) for (const stream of beats.keys()) stream.end('closing')
  }

  #beat(): void {
    for (const [stream, { mayGoOn }] of this.#beats[this.#turn++ % turns] ?? []) {
      const answer = mayGoOn?.() ?? true
      if (answer === true) stream.beat()
      else if (answer === false) stream.end()
      else void answer.then((may) => (may ? stream.beat() : stream.end())).catch(() => stream.end())
    }
  }
}

const streamHeaders = {
  'content-type': 'text/event-stream',
  'cache-control': 'no-cache, no-store',
  // Kept as it is by nginx, which would collect it otherwise.
  'x-accel-buffering': 'no',
  // The connection ends with the stream: the next one shall be able to go to another gateway.
  connection: 'close',
}
