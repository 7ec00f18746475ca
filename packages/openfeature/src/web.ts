import {
  type EvaluationContext,
  type JsonValue,
  OpenFeatureEventEmitter,
  type Provider,
  ProviderEvents,
  type ResolutionDetails,
} from '@openfeature/web-sdk'
import { connect, type RemoteFlags, type RemoteOptions, SvcError } from '@svc/client'
import {
  type Attempt,
  Connection,
  type ConnectionEvent,
  type ConnectionEventDetails,
} from './connection.ts'
import { resolveBoolean, resolveNumber, resolveObject, resolveString, toSubject } from './values.ts'

/** Wait before the first retry of a context that the service did not take, in milliseconds; it doubles. */
const firstRetryMs = 500
const maxRetryMs = 30_000

/** Those of the client: where the service is, the namespace, and a credential if one is needed. */
export type SvcProviderOptions = Omit<RemoteOptions, 'mode' | 'required' | 'subject'>

/**
 * Provider for pages. The service evaluates for the context of OpenFeature, and the answers are kept for
 * as long as it stays; rules never leave the service.
 *
 * A token in a page is a token in the hands of every visitor: use `authentication.exclude.ofrep` or the
 * page's own server.
 *
 * @example
 * await OpenFeature.setContext({ targetingKey: 'user-42', country: 'DE' })
 * await OpenFeature.setProviderAndWait(new SvcProvider({ url: 'https://flags.example.com' }))
 */
export class SvcProvider implements Provider {
  readonly metadata = { name: 'svc-web' } as const
  readonly runsOn = 'client'
  readonly events: OpenFeatureEventEmitter = new OpenFeatureEventEmitter()
  readonly #options: SvcProviderOptions
  readonly #connection: Connection<RemoteFlags>
  #isOpen = false
  #opening: Promise<void> | undefined
  /** Of the application. */
  #context: EvaluationContext = {}
  /** What the answers are for; the same object, once the service has taken it, until another is given to it. */
  #taken: EvaluationContext | undefined
  #retry: ReturnType<typeof setTimeout> | undefined
  #retryMs = firstRetryMs

  /** Connects in `initialize`, which the SDK calls. */
  constructor(options: SvcProviderOptions) {
    this.#options = options
    this.#connection = new Connection(
      (attempt) => this.#connect(attempt),
      (event, details) => this.#onEvent(event, details),
    )
  }

  /** Resolves when there are answers; rejects after `readyTimeoutMs`, with PROVIDER_FATAL for 403. */
  async initialize(context: EvaluationContext = {}): Promise<void> {
    this.#context = context
    this.#isOpen = true
    await this.#open()
  }

  /** Ends the connection; the provider may be initialized again. */
  async onClose(): Promise<void> {
    this.#isOpen = false
    clearTimeout(this.#retry)
    await this.#connection.close()
  }

  /**
   * Resolves when the answers are those for the new context; until then they are those for the one before.
   *
   * @throws {SvcError} when the service does not answer: it is asked again, until READY
   */
  async onContextChange(_: EvaluationContext, context: EvaluationContext): Promise<void> {
    this.#context = context
    await this.#opening
    // The SDK also calls providers that it has closed.
    if (!this.#isOpen || context === this.#taken) return
    // The initialization failed, and nothing goes on trying: for another context it may succeed.
    if (this.#connection.flags === undefined) return await this.#open()
    try {
      await this.#take(context)
    } catch (error) {
      this.#retryMs = firstRetryMs
      if (error instanceof SvcError) this.#retryLater()
      throw error
    }
  }

  /** Whether a boolean flag is on, for the context that is set. */
  resolveBooleanEvaluation(flagKey: string, fallback: boolean): ResolutionDetails<boolean> {
    return resolveBoolean(this.#connection.flags, { flagKey, fallback })
  }

  /** The key of the variant that is served. */
  resolveStringEvaluation(flagKey: string, fallback: string): ResolutionDetails<string> {
    return resolveString(this.#connection.flags, { flagKey, fallback })
  }

  /** The key of the variant if it is a number, else its attachment if that is one. */
  resolveNumberEvaluation(flagKey: string, fallback: number): ResolutionDetails<number> {
    return resolveNumber(this.#connection.flags, { flagKey, fallback })
  }

  /** The attachment of the variant, an object or a list. It is frozen. */
  resolveObjectEvaluation<Value extends JsonValue>(
    flagKey: string,
    fallback: Value,
  ): ResolutionDetails<Value> {
    return resolveObject(this.#connection.flags, { flagKey, fallback })
  }

  async #connect(attempt: Attempt): Promise<RemoteFlags> {
    const context = this.#context
    const subject = toSubject(context)
    const flags = await connect({ ...this.#options, ...attempt, mode: 'remote', subject })
    if (context === this.#context) {
      this.#taken = context
      return flags
    }
    // It was set meanwhile.
    await flags.close()
    return this.#connect(attempt)
  }

  #onEvent(event: ConnectionEvent, details: ConnectionEventDetails = {}): void {
    const isCurrent = this.#taken === this.#context
    // The service is back, but its answers are those for the context before.
    if (event === 'Ready' && !isCurrent) void this.#catchUp()
    // Another context changes answers, too, and the SDK says so: CONTEXT_CHANGED.
    else if (event !== 'ConfigurationChanged' || isCurrent) {
      this.events.emit(ProviderEvents[event], details)
    }
  }

  async #open(): Promise<void> {
    this.#opening = this.#connection.open()
    try {
      await this.#opening
    } finally {
      this.#opening = undefined
    }
  }

  async #take(context: EvaluationContext): Promise<void> {
    // The one before may be set again meanwhile: the service is then asked for it again.
    this.#taken = undefined
    await this.#connection.flags?.setContext(toSubject(context))
    if (context === this.#context) this.#taken = context
  }

  /** Takes the context that is set, and emits READY when the answers are those for it. */
  async #catchUp(): Promise<void> {
    clearTimeout(this.#retry)
    const context = this.#context
    if (context === this.#taken || this.#connection.flags === undefined) return
    try {
      await this.#take(context)
      if (context === this.#taken) this.events.emit(ProviderEvents.Ready)
    } catch {
      this.#retryLater()
    }
  }

  #retryLater(): void {
    clearTimeout(this.#retry)
    if (this.#connection.flags === undefined) return
    // Pages do not come back all at once.
    this.#retry = setTimeout(() => void this.#catchUp(), this.#retryMs * (0.5 + Math.random()))
    this.#retryMs = Math.min(2 * this.#retryMs, maxRetryMs)
  }
}
