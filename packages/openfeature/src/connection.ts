import { ErrorCode, GeneralError, ProviderFatalError } from '@openfeature/core'
import { type Flags, SvcError } from '@svc/client'

/** What a connection decides of the client's options. */
export interface Attempt {
  readonly required: boolean
  readonly readyTimeoutMs?: number
}

/** Those that both SDKs know by the same name. */
export type ConnectionEvent = 'Ready' | 'Stale' | 'Error' | 'ConfigurationChanged'

/** What an event says. A type: interfaces are no records. */
export type ConnectionEventDetails = {
  readonly message?: string
  readonly errorCode?: ErrorCode
  readonly flagsChanged?: string[]
}

type Emit = (event: ConnectionEvent, details?: ConnectionEventDetails) => void

/** How long an attempt in the background is waited for: it goes on by itself, and tells when it is ready. */
const backgroundTimeoutMs = 1

/**
 * The flags of a provider from `initialize` to `onClose`, and what happens to them as events of
 * OpenFeature. After `close` it may be opened again.
 */
export class Connection<F extends Flags> {
  readonly #connect: (attempt: Attempt) => Promise<F>
  readonly #emit: Emit
  #flags: F | undefined
  #listeners: readonly (() => void)[] = []
  /** Counts `open` and `close`, so that flags that come after a `close` are not kept. */
  #epoch = 0

  constructor(connect: (attempt: Attempt) => Promise<F>, emit: Emit) {
    this.#connect = connect
    this.#emit = emit
  }

  /** `undefined` before it was opened, and after it was closed. */
  get flags(): F | undefined {
    return this.#flags
  }

  /**
   * Resolves when there are flags. If there are none, it goes on trying, and emits READY when they come.
   *
   * @throws {ProviderFatalError} when the credential may not have them: then it does not try again
   * @throws {GeneralError} when they cannot be had for another reason
   */
  async open(): Promise<void> {
    if (this.#flags !== undefined) await this.close()
    const epoch = ++this.#epoch
    try {
      const flags = await this.#connect({ required: true })
      await this.#keep(flags, epoch)
      // The SDK emits READY when this has resolved, also for flags that are from the file.
      if (flags.isStale) setTimeout(() => this.#emitStaleIf(flags))
    } catch (error) {
      const message = messageOf(error)
      if (error instanceof SvcError && error.status === 403) throw new ProviderFatalError(message)
      void this.#tryOn(epoch)
      throw new GeneralError(message)
    }
  }

  /** Ends the connection. Nothing is emitted afterwards. */
  async close(): Promise<void> {
    this.#epoch++
    const flags = this.#flags
    this.#flags = undefined
    for (const off of this.#listeners) off()
    this.#listeners = []
    await flags?.close()
  }

  async #tryOn(epoch: number): Promise<void> {
    if (epoch !== this.#epoch) return
    try {
      const flags = await this.#connect({ required: false, readyTimeoutMs: backgroundTimeoutMs })
      await this.#keep(flags, epoch)
      if (flags.isReady) this.#emit('Ready')
    } catch {
      // Closed meanwhile, or options that are no options, which `open` has reported.
    }
  }

  async #keep(flags: F, epoch: number): Promise<void> {
    if (epoch !== this.#epoch) {
      await flags.close()
      throw new GeneralError('the provider was closed before it had flags')
    }
    this.#flags = flags
    this.#listeners = [
      flags.on('ready', () => this.#emit('Ready')),
      flags.on('stale', () => this.#emitStaleIf(flags)),
      flags.on('change', ({ flagKeys }) =>
        this.#emit('ConfigurationChanged', { flagsChanged: [...flagKeys] }),
      ),
      flags.on('error', ({ status, message }) => {
        // The others are about the file and the past; the flags are as good as before.
        if (status >= 400) {
          this.#emit('Error', { message, errorCode: ErrorCode.GENERAL })
        }
      }),
    ]
  }

  #emitStaleIf(flags: F): void {
    if (flags !== this.#flags || !flags.isStale) return
    const message = `the service has not confirmed the flags for ${Math.round(flags.ageMs / 1000)} s`
    this.#emit('Stale', { message })
  }
}

/** After a timeout the cause says what is wrong; the message says what a caller of the client can do. */
function messageOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  const { cause, message } = error
  return error instanceof SvcError && error.code === 14 && cause instanceof Error
    ? `no flags yet: ${cause.message}`
    : message
}
