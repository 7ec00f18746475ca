import { AppError, invalidArgument, unavailable } from '@svc/runtime'
import { countRefused } from '@svc/telemetry'
import type { FastifyInstance, FastifyReply } from 'fastify'
import { keepForOne } from '../http/pipelining.ts'
import { EventStream } from './event-stream.ts'
import { encodeOpening, type Frame } from './frame.ts'
import { Topic } from './topic.ts'

/**
 * Maximum open streams, of the 10,000 connections that the gateway has: the rest is left to evaluations.
 * At some 20 KB each they take 160 MB.
 */
const usualMaxStreams = 8000

/** Interval of heartbeats, in milliseconds: below 30 s, the shortest idle timeout of common proxies. */
const usualHeartbeatMs = 15_000

/** Heartbeats are spread over as many turns, so that none of them holds up evaluations. */
const turns = 15

/** Retry time of clients, in milliseconds, spread so that they do not reconnect all at once. */
const minRetryMs = 1000
const retrySpreadMs = 4000

/** A bound on the streams that share something, such as a token or a namespace. */
export interface StreamLimit {
  /** What they share: streams of one key count together. */
  readonly key: string
  readonly max: number
  /** For the refusal: `too many event streams of ‹whose›`. */
  readonly whose: string
}

export interface StreamOptions {
  /** Bounds below that of the gateway. The stream counts towards each until it ends. */
  readonly limits?: readonly StreamLimit[]
  /** What the client is to send as `Last-Event-ID` if it reconnects before the first event. */
  readonly id?: string
  /**
   * A client for which more than this would wait, everything counted, is taken for one that does not
   * read. When nothing waits, an event of any size goes out.
   */
  readonly maxWaitingBytes: number
  /** Called with each heartbeat. When it returns false, the stream ends. */
  readonly mayGoOn?: () => boolean
  readonly onEnd?: (stream: EventStream) => void
}

/** Makes the streams of an app, which has one of these for all its routes; they end when it closes. */
export function addEventStreams(app: FastifyInstance): EventStreams {
  const streams = new EventStreams()
  app.addHook('preClose', async () => streams.close())
  return streams
}

/**
 * The open event streams (SSE) of this gateway, by topic.
 *
 * From `open` on a client gets what is published about its topic, and nothing that was before: to
 * leave no gap, open the stream and look at the state in the same turn.
 */
export class EventStreams {
  readonly #maxStreams: number
  readonly #topics = new Map<string, Topic>()
  /** How many are open, by the key of a limit. */
  readonly #counts = new Map<string, number>()
  /** Kinds stay when their streams have ended: a reader of metrics repeats the last value that it saw. */
  readonly #sizes = new Map<string, number>()
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

  /** How many are open, by the first word of their topics; 0 for one that had some when this was last called. */
  sizes(): ReadonlyMap<string, number> {
    for (const kind of this.#sizes.keys()) this.#sizes.set(kind, 0)
    for (const [key, { size }] of this.#topics) {
      const [kind = ''] = key.split(' ', 1)
      this.#sizes.set(kind, (this.#sizes.get(kind) ?? 0) + size)
    }
    return this.#sizes
  }

  /**
   * Answers with a stream, which has the connection from then on. It writes to the socket itself: by
   * the answer of `node:http` a client would take half as much memory again, and each event twice the
   * work (docs/decisions/0008-own-event-streams.md).
   *
   * @throws {AppError} `unavailable` when there are as many as may be, or the gateway closes;
   *   `resource_exhausted` when a limit of the stream is reached; `invalid_argument` when another request
   *   on the same connection waits for its answer
   */
  open(reply: FastifyReply, topicKey: string, options: StreamOptions): EventStream {
    if (this.#isClosed) throw unavailable('the gateway is closing, try again')
    if (this.#size >= this.#maxStreams) {
      countRefused('streams')
      throw unavailable('too many event streams, try again')
    }
    const { limits = [] } = options
    for (const limit of limits) this.#check(limit)
    const { socket } = reply.raw
    if (socket === null || !keepForOne(socket)) {
      throw invalidArgument('an event stream takes a connection of its own')
    }
    const topic = this.#topics.get(topicKey) ?? new Topic()
    const beats = this.#beats[this.#opened++ % turns]
    const stream = new EventStream(socket, options.maxWaitingBytes, () => {
      this.#size--
      for (const { key } of limits) this.#count(key, -1)
      beats?.delete(stream)
      topic.delete(stream)
      if (topic.size === 0) this.#topics.delete(topicKey)
      options.onEnd?.(stream)
    })
    this.#size++
    for (const { key } of limits) this.#count(key, 1)
    this.#topics.set(topicKey, topic)
    topic.add(stream)
    beats?.set(stream, options)
    reply.hijack()
    // By its listeners Fastify would keep the request and all that was read of it.
    reply.raw.removeAllListeners()
    const retryMs = minRetryMs + Math.floor(Math.random() * retrySpreadMs)
    stream.send(encodeOpening(reply.getHeaders(), retryMs, options.id))
    // The client left before this stream listened for it.
    if (socket.destroyed) stream.end()
    return stream
  }

  /** Sends an event to all streams of a topic, the first of them at once. */
  publish(topicKey: string, frame: Frame): void {
    this.#topics.get(topicKey)?.publish(frame)
  }

  /** Ends the streams of a topic in good order. */
  end(topicKey: string): void {
    this.#topics.get(topicKey)?.end()
  }

  /** Whether there are listeners; if not, no event has to be made. */
  has(topicKey: string): boolean {
    return this.#topics.has(topicKey)
  }

  /** Ends all of them in good order, and opens no more. */
  close(): void {
    this.#isClosed = true
    clearInterval(this.#timer)
    for (const beats of this.#beats) for (const stream of beats.keys()) stream.end()
  }

  #check({ key, max, whose }: StreamLimit): void {
    if ((this.#counts.get(key) ?? 0) < max) return
    const message = `too many event streams of ${whose} at this gateway: close some, or poll`
    throw new AppError('resource_exhausted', 'too_many_streams', message)
  }

  #count(key: string, change: 1 | -1): void {
    const count = (this.#counts.get(key) ?? 0) + change
    if (count === 0) this.#counts.delete(key)
    else this.#counts.set(key, count)
  }

  #beat(): void {
    for (const [stream, { mayGoOn }] of this.#beats[this.#turn++ % turns] ?? []) {
      if (mayGoOn?.() ?? true) stream.beat()
      else stream.end()
    }
  }
}
