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

/** Messages that may wait for the thread. The caller has been identified, and that is good for a few seconds. */
const maxWaiting = 2

/** Maximum time that a message waits for the thread and in it, in milliseconds. */
const maxMs = 3000

/**
 * Long messages, in a thread of their own: evaluations do not wait while they are read and written. What the thread has
 * no time for, or cannot do, is done in the event loop: no write that is committed is answered with an error.
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
    return this.#run(runRequest, { path: operation.path, position, url: { params, query }, body })
  }

  async encodeAnswer({ path }: Operation, bytes: Uint8Array, isPretty: boolean): Promise<Buffer> {
    return bufferOf(await this.#run(runAnswer, { path, bytes, isPretty }))
  }

  async close(): Promise<void> {
    await this.#pool?.destroy()
  }

  async #run<T extends RequestTask | AnswerTask, R>(
    work: (task: T) => Outcome<R>,
    task: T,
  ): Promise<R> {
    const outcome = (await this.#inThread(work, task)) ?? work(task)
    if ('value' in outcome) return outcome.value
    const { code, reason, message } = outcome.refusal
    throw new AppError(code, reason, message)
  }

  /** @returns nothing when it could not be done there */
  async #inThread<T extends RequestTask | AnswerTask, R>(
    { name }: (task: T) => Outcome<R>,
    task: T,
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
