import type { BoundOperation, Operation, UrlValues } from '@svc/contract'
import { AppError, type Logger } from '@svc/runtime'
import { Piscina } from 'piscina'
import {
  type AnswerTask,
  bufferOf,
  type Outcome,
  type RequestTask,
  runAnswer,
  runRequest,
  workerFile,
} from './message-worker.ts'
import type { EncodedRequest } from './messages.ts'

/** What the thread takes of one kind of message. */
interface Bounds {
  /** Messages that may wait for the thread when one comes. */
  readonly maxWaiting: number
  /** Maximum time that it waits for the thread and is in it, in milliseconds. */
  readonly maxMs: number
}

/** Auth vouches for a caller for 4 to 5 s of the 6 s for which the resource service accepts that. */
const requests: Bounds = { maxWaiting: 2, maxMs: 1000 }
const answers: Bounds = { maxWaiting: 2, maxMs: 3000 }
/** Those that nothing else writes: a client waits for as long. */
const longReads: Bounds = { maxWaiting: 4, maxMs: 10_000 }

/** Minimum size of the answer to a read that stops the event loop for too long, in bytes: from some 70 ms on. */
const longReadBytes = 2 ** 20

/**
 * Long messages, in a thread of their own: evaluations do not wait while they are read and written. What the thread has
 * no time for, or cannot do, is done in the event loop: no write that is committed is answered with an error. Only
 * long answers to reads, which may be sent again, are refused.
 */
export class MessageThread {
  readonly #log: Logger
  #pool: Piscina | undefined

  constructor(log: Logger) {
    this.#log = log
  }

  /** @throws {AppError} for a body that is not what the operation takes */
  encodeRequest(
    { operation, binding }: BoundOperation,
    { params, query }: UrlValues,
    body: Buffer,
  ): Promise<EncodedRequest> {
    const position = operation.bindings.indexOf(binding)
    const task = { path: operation.path, position, url: { params, query }, body }
    return this.#run(runRequest, task, requests)
  }

  /** @throws {AppError} `unavailable` for a long answer to a read that there is no time for */
  async encodeAnswer(
    { path, access }: Pick<Operation, 'path' | 'access'>,
    bytes: Uint8Array,
    isPretty: boolean,
  ): Promise<Buffer> {
    const isLongRead = access.action === 'READ' && bytes.length >= longReadBytes
    const bounds = isLongRead ? longReads : answers
    return bufferOf(await this.#run(runAnswer, { path, bytes, isPretty }, bounds))
  }

  async close(): Promise<void> {
    await this.#pool?.destroy()
  }

  async #run<T extends RequestTask | AnswerTask, R>(
    work: (task: T) => Outcome<R>,
    task: T,
    bounds: Bounds,
  ): Promise<R> {
    const done = await this.#inThread(work, task, bounds)
    if (done === undefined && bounds === longReads) {
      const message = 'the gateway has no time for so long an answer, try again later'
      throw new AppError('unavailable', 'overloaded', message)
    }
    const outcome = done ?? work(task)
    if ('value' in outcome) return outcome.value
    const { code, reason, message } = outcome.refusal
    throw new AppError(code, reason, message)
  }

  /** @returns nothing when it could not be done there */
  async #inThread<T extends RequestTask | AnswerTask, R>(
    { name }: (task: T) => Outcome<R>,
    task: T,
    { maxWaiting, maxMs }: Bounds,
  ): Promise<Outcome<R> | undefined> {
    try {
      this.#pool ??= this.#start()
      if (this.#pool.queueSize >= maxWaiting) return undefined
      return await this.#pool.run(task, { name, signal: AbortSignal.timeout(maxMs) })
    } catch (error) {
      this.#log.warn({ err: error }, 'the thread for long messages has failed')
      return undefined
    }
  }

  /** It takes half a second, which the first message waits for, and 40 MiB. */
  #start(): Piscina {
    // With fewer threads than one, what waits behind one that ends would wait for ever.
    const threads = { minThreads: 1, maxThreads: 1 }
    const pool = new Piscina({ filename: workerFile, ...threads, recordTiming: false })
    // One that has work fails with that.
    pool.on('error', (error) => this.#log.warn({ err: error }, 'an idle thread has failed'))
    return pool
  }
}
