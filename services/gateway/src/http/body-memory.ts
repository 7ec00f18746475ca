import type { IncomingMessage, ServerResponse } from 'node:http'
import { pipeline, type Readable, Transform } from 'node:stream'
import type { FastifyInstance } from 'fastify'

/** Bodies from this size on count, in bytes. Smaller ones are bounded by the number of connections. */
export const largeBytes = 64 * 1024

/** Bytes of large bodies in memory at once. To be answered each takes several times as much for a moment. */
const usualMaxBytes = 16 * 2 ** 20

/** A large body from its first byte until its answer has been sent. */
interface Holder {
  bytes: number
  /** Goes on reading; left out while it is being read. */
  resume: (() => void) | undefined
}

/**
 * Bounds the memory of large bodies, which are read before it is known who sends them. When there are too many bytes, bodies
 * wait for others to be answered, the oldest first; the oldest of all is read in any case, so that one is always answered.
 * A wait ends with the time that a request may take to arrive.
 */
export class BodyMemory {
  readonly #maxBytes: number
  /** In the order in which they arrived. */
  readonly #holders = new Set<Holder>()
  #heldBytes = 0

  constructor(maxBytes = usualMaxBytes) {
    this.#maxBytes = maxBytes
  }

  /** In bytes, of all large bodies. */
  get heldBytes(): number {
    return this.#heldBytes
  }

  /** @returns the same bytes, which come as there is room for them */
  meter(
    body: Readable,
    response: Pick<ServerResponse, 'closed' | 'off' | 'once'>,
    socket: Pick<IncomingMessage['socket'], 'off' | 'once'>,
  ): Readable {
    // It would be held for ever: there is no end to come.
    if (response.closed) return body
    const holder: Holder = { bytes: 0, resume: undefined }
    this.#holders.add(holder)
    const metered = new Transform({
      transform: (chunk: Buffer, _encoding, done) =>
        this.#hold(holder, chunk.length, () => done(null, chunk)),
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
    // An error of the body is one of the metered, too.
    return pipeline(body, metered, () => {})
  }

  #hold(holder: Holder, bytes: number, resume: () => void): void {
    holder.bytes += bytes
    this.#heldBytes += bytes
    const [oldest] = this.#holders
    if (this.#heldBytes <= this.#maxBytes || holder === oldest) resume()
    else holder.resume = resume
  }

  #release(holder: Holder): void {
    this.#holders.delete(holder)
    this.#heldBytes -= holder.bytes
    const [oldest] = this.#holders
    for (const waiting of this.#holders) {
      if (this.#heldBytes > this.#maxBytes && waiting !== oldest) return
      const { resume } = waiting
      waiting.resume = undefined
      resume?.()
    }
  }
}

/**
 * Bounds the memory that the large bodies of an app take. Those of `GET` and `HEAD` are never read, and their answers may be
 * streams that last for days.
 */
export function limitBodyMemory(app: FastifyInstance, memory = new BodyMemory()): void {
  app.addHook('preParsing', ({ method, headers }, { raw }, body, done) => {
    const length = Number(headers['content-length'] ?? Number.POSITIVE_INFINITY)
    const isSent = 'content-length' in headers || 'transfer-encoding' in headers
    const isRead = method !== 'GET' && method !== 'HEAD'
    const isLarge = isRead && isSent && length > largeBytes
    done(null, isLarge ? memory.meter(body as Readable, raw, raw.req.socket) : body)
  })
}
