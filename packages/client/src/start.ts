import { SvcError } from './api/error.ts'

export interface StartOptions {
  readonly timeoutMs: number
  /** Whether to reject when no flags can be had. */
  readonly required: boolean
  /** Takes the flags that were kept from before. @returns whether there are any */
  readonly useKept: () => Promise<boolean>
}

/** The wait of `connect` for the first flags: from the server, or those that were kept. */
export class Start {
  readonly #options: StartOptions
  readonly #result = newResult()
  /** Of the wait for the server, then of the one for the disk. */
  #timer: ReturnType<typeof setTimeout>
  #kept: Promise<boolean> | undefined
  #lastError: SvcError | undefined

  constructor(options: StartOptions) {
    this.#options = options
    this.#timer = setTimeout(() => void this.#timeOut(), options.timeoutMs)
  }

  /** @throws {SvcError} when there are no flags, and they are required */
  async done(): Promise<void> {
    try {
      await this.#result.promise
    } finally {
      clearTimeout(this.#timer)
    }
  }

  /** The server has answered. */
  succeed(): void {
    this.#result.resolve()
  }

  /** An attempt has failed. @param isFinal whether others would, too */
  async fail(error: SvcError, isFinal: boolean): Promise<void> {
    this.#lastError = error
    if (await this.#useKept()) this.succeed()
    else if (isFinal) this.#end(error)
  }

  async #timeOut(): Promise<void> {
    const { timeoutMs } = this.#options
    // A disk may hang, too.
    const late = new Promise<false>((resolve) => {
      this.#timer = setTimeout(resolve, timeoutMs, false)
    })
    if (await Promise.race([this.#useKept(), late])) return this.succeed()
    const reason = this.#lastError?.message ?? 'the server does not answer'
    const message = `no flags within ${timeoutMs} ms: ${reason}. With \`required: false\` the defaults of calls are used until they come`
    this.#end(new SvcError(message, { status: 0, code: 14, cause: this.#lastError }))
  }

  #useKept(): Promise<boolean> {
    this.#kept ??= this.#options.useKept().catch(() => false)
    return this.#kept
  }

  #end(error: SvcError): void {
    if (this.#options.required) this.#result.reject(error)
    else this.succeed()
  }
}

/** By hand: Node.js 20 has no `Promise.withResolvers`. */
function newResult() {
  let resolve = () => {}
  let reject: (error: SvcError) => void = () => {}
  const promise = new Promise<void>((onResolve, onReject) => {
    resolve = onResolve
    reject = onReject
  })
  return { promise, resolve, reject }
}
