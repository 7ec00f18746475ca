import type { IncomingMessage, ServerResponse } from 'node:http'
import { type Readable, Transform } from 'node:stream'
import { type MaybePromise, unavailable } from '@svc/runtime'
import { countRefused } from '@svc/telemetry'
import type { FastifyInstance } from 'fastify'
import type { Exchange } from './exchange.ts'

declare module 'fastify' {
  interface FastifyContextConfig {
    /** The caller, if any. Fails for one of whom no large body is read. */
    readonly identify?: ((exchange: Exchange) => MaybePromise<unknown>) | undefined
  }
}

/**
 * Maximum size of a body that is read without counting it, in bytes: of 10,000 connections, which bound those, they take
 * 200 MB, and a container has 512. A batch of 1,000 evaluations has 18 KB.
 */
export const largeBytes = 20 * 1024

/** Bytes of large bodies in memory at once. To be answered each takes several times as much for a moment. */
const usualMaxBytes = 16 * 2 ** 20

/** Maximum wait for room, in milliseconds: less than the time that a request may take to arrive. */
const usualMaxWaitMs = 10_000

/** Maximum large bodies at once: one that waits holds what Node.js has read of it, up to 64 KiB. */
const usualMaxBodies = 1000

/** A large body from its first byte until its answer has been sent. */
interface Holder {
  bytes: number
  /** Goes on reading, or fails; left out while it is being read. */
  resume: ((error?: Error) => void) | undefined
  timer: NodeJS.Timeout | undefined
}

/**
 * Bounds the memory of large bodies. When there are too many bytes, bodies wait for others to be answered, the oldest first;
 * the oldest of all is read in any case, so that one is always answered. One that waits for too long, or with too many others,
 * is refused.
 */
export class BodyMemory {
  readonly #maxBytes: number
  readonly #maxWaitMs: number
  readonly #maxBodies: number
  /** In the order in which they arrived. */
  readonly #holders = new Set<Holder>()
  #heldBytes = 0

  constructor(maxBytes = usualMaxBytes, maxWaitMs = usualMaxWaitMs, maxBodies = usualMaxBodies) {
    this.#maxBytes = maxBytes
    this.#maxWaitMs = maxWaitMs
    this.#maxBodies = maxBodies
  }

  /** In bytes, of all large bodies. */
  get heldBytes(): number {
    return this.#heldBytes
  }

  /** @returns the same bytes, which come as there is room for them; it fails with `unavailable` when there is none in time */
  meter(
    body: Readable,
    response: Pick<ServerResponse, 'closed' | 'off' | 'once'>,
    socket: Pick<IncomingMessage['socket'], 'off' | 'once'>,
  ): Readable {
    // It would be held for ever: there is no end to come.
    if (response.closed) return body
    const holder: Holder = { bytes: 0, resume: undefined, timer: undefined }
    this.#holders.add(holder)
    const metered = new Transform({
      transform: (chunk: Buffer, _encoding, done) =>
        this.#hold(holder, chunk.length, (error) => done(error, chunk)),
    })
    const end = () => {
      response.off('close', end)
      socket.off('close', end)
      // The rest of one that was not read to its end precedes the next request.
      body.unpipe(metered).resume()
      this.#release(holder)
    }
    response.once('close', end)
    // On Node.js 20 an answer that waits for another on its connection does not end with that.
    socket.once('close', end)
    // `pipeline` would end the connection of one that is refused.
    body.once('error', (error) => metered.destroy(error))
    return body.pipe(metered)
  }

  #hold(holder: Holder, bytes: number, resume: (error?: Error) => void): void {
    holder.bytes += bytes
    this.#heldBytes += bytes
    const [oldest] = this.#holders
    if (this.#heldBytes <= this.#maxBytes || holder === oldest) {
      resume()
      return
    }
    const refuse = () => {
      holder.resume = undefined
      countRefused('overload')
      resume(unavailable('the gateway has no room for the body, try again later'))
    }
    if (this.#holders.size > this.#maxBodies) {
      refuse()
      return
    }
    holder.resume = resume
    holder.timer = setTimeout(refuse, this.#maxWaitMs)
  }

  #release(holder: Holder): void {
    clearTimeout(holder.timer)
    this.#holders.delete(holder)
    this.#heldBytes -= holder.bytes
    const [oldest] = this.#holders
    for (const waiting of this.#holders) {
      if (this.#heldBytes > this.#maxBytes && waiting !== oldest) return
      const { resume, timer } = waiting
      clearTimeout(timer)
      waiting.resume = undefined
      resume?.()
    }
  }
}

/**
 * Bounds the memory that the large bodies of an app take, and reads none before its caller is known. Where there is no caller,
 * as in a login, they take no room of others. Those of `GET` and `HEAD` are never read, and their answers may be streams
 * that last for days.
 */
export function limitBodyMemory(app: FastifyInstance, ofCallers = new BodyMemory()): void {
  const ofOthers = new BodyMemory()
  app.addHook('preParsing', ({ method, headers, exchange, routeOptions }, reply, body, done) => {
    const length = Number(headers['content-length'] ?? Number.POSITIVE_INFINITY)
    const isSent = 'content-length' in headers || 'transfer-encoding' in headers
    const isRead = method !== 'GET' && method !== 'HEAD'
    if (!isRead || !isSent || length <= largeBytes) {
      done(null, body)
      return
    }
    const { raw } = reply
    const identify = async () => routeOptions.config.identify?.(exchange)
    const meter = (caller: unknown) => {
      const memory = caller === undefined ? ofOthers : ofCallers
      done(null, memory.meter(body as Readable, raw, raw.req.socket))
    }
    identify().then(meter, done)
  })
}
