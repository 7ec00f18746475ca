import type { BoundOperation, Operation, UrlValues } from '@svc/contract'
import { AppError, type Logger } from '@svc/runtime'
import { Piscina } from 'piscina'
import { Refusal } from '../../http/errors.ts'
import { InFlightLimit } from './in-flight-limit.ts'
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

/** What a thread may have in memory. A body of 3 MiB took 75, but one can become a hundred times its size. */
const resourceLimits = { maxOldGenerationSizeMb: 128, maxYoungGenerationSizeMb: 16 }

/** Of a thread that has ended so. The next message gets a new one. */
const outOfMemory = 'ERR_WORKER_OUT_OF_MEMORY'

/**
 * Long messages, in a thread of their own: evaluations do not wait while they are read and written. It is
 * started when it is needed.
 */
export class MessageThread {
  /** A body that waits takes up to 4 MiB. */
  readonly #limit = new InFlightLimit('long messages', { burst: 32 })
  readonly #log: Logger
  #pool: Piscina | undefined

  constructor(log: Logger) {
    this.#log = log
  }

  /** @throws {AppError} for a body that is not what the operation takes, and while there are too many */
  async encodeRequest(
    bound: BoundOperation,
    { params, query }: UrlValues,
    body: Buffer,
  ): Promise<EncodedRequest> {
    const { operation, binding } = bound
    const position = operation.bindings.indexOf(binding)
    const task = { path: operation.path, position, url: { params, query }, body }
    try {
      return await this.#run(runRequest, task)
    } catch (error) {
      const isTooLarge = error instanceof Error && 'code' in error && error.code === outOfMemory
      throw isTooLarge ? new Refusal('body_too_large', ': it has too many values') : error
    }
  }

  /** @throws {AppError} while there are too many */
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
    this.#pool ??= this.#start()
    const pool = this.#pool
    const { name } = work
    const outcome: Outcome<R> = await this.#limit.run(() => pool.run(task, { name }))
    if ('value' in outcome) return outcome.value
    const { code, reason, message } = outcome.refusal
    throw new AppError(code, reason, message)
  }
  /** It takes half a second, which the first message waits for, and 40 MiB. */
  #start(): Piscina {
    // With fewer threads than one, what waits behind one that ends would wait for ever.
    const threads = { minThreads: 1, maxThreads: 1 }
    const pool = new Piscina({
      filename: workerFile,
      ...threads,
      recordTiming: false,
      resourceLimits,
    })
    // One that has work fails with that.
    pool.on('error', (error) => this.#log.error({ err: error }, 'an idle thread has failed'))
    return pool
  }
}
