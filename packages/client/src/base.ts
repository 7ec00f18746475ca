import type { BooleanEvaluation, VariantEvaluation } from '@svc/evaluation'
import type { JsonValue } from './api/call.ts'
import type { SvcError } from './api/error.ts'
import { Attachments } from './attachments.ts'
import { Emitter } from './emitter.ts'
import { Freshness } from './freshness.ts'
import { reasonOf } from './http.ts'
import type {
  Evaluation,
  EvaluationError,
  EvaluationReason,
  FlagEvents,
  Flags,
  Logger,
  Subject,
  WaitOptions,
} from './types.ts'
import { Waiters } from './waiters.ts'
import { Warnings } from './warnings.ts'

/** What a flag serves. */
export type Answer = BooleanEvaluation | VariantEvaluation

/** Silence of the server after which flags count as stale, in milliseconds: over two heartbeats. */
const staleAfterMs = 40_000

const reasons: Readonly<Record<Answer['reason'], EvaluationReason>> = {
  MATCH_EVALUATION_REASON: 'TARGETING_MATCH',
  FLAG_DISABLED_EVALUATION_REASON: 'DISABLED',
  DEFAULT_EVALUATION_REASON: 'DEFAULT',
  UNKNOWN_EVALUATION_REASON: 'UNKNOWN',
}

/** Maximum length of the key of a flag, in characters. */
const maxKeyLength = 255

const noKeys: readonly string[] = Object.freeze([])

export interface BaseOptions {
  readonly namespace: string
  readonly logger: Logger
  readonly staleAfterMs?: number
}

/** What both modes have in common: questions with their defaults, events, and how fresh flags are. */
export abstract class BaseFlags implements Flags {
  abstract readonly mode: 'local' | 'remote'
  readonly namespace: string
  protected readonly freshness: Freshness
  protected readonly warnings: Warnings
  protected readonly waiters: Waiters
  readonly #emitter: Emitter
  readonly #attachments = new Attachments()
  #revision = 0
  #isReady = false
  /** Whether a refusal has been reported that the server has not taken back. */
  #isRefused = false

  constructor({ namespace, logger, ...options }: BaseOptions) {
    this.namespace = namespace
    this.freshness = new Freshness(options.staleAfterMs ?? staleAfterMs)
    this.warnings = new Warnings(logger)
    this.waiters = new Waiters(namespace)
    this.#emitter = new Emitter((error) => {
      this.warnings.warn('listener', `a listener threw: ${reasonOf(error)}`)
    })
  }

  /** May throw: the question then gets its default. */
  protected abstract find(flagKey: string, subject: Subject | undefined): Answer | EvaluationError

  /** Asks for what there is now, where nothing else brings it. */
  protected abstract refresh(): void

  abstract close(): Promise<void>

  get revision(): number {
    return this.#revision
  }

  get isReady(): boolean {
    return this.#isReady
  }

  get isStale(): boolean {
    return this.freshness.isStale
  }

  get ageMs(): number {
    return this.freshness.ageMs
  }

  boolean(flagKey: string, subject: Subject | undefined, fallback: boolean): boolean {
    const answer = this.#ask(flagKey, subject)
    if (typeof answer === 'object') {
      if ('enabled' in answer) return answer.enabled
      this.#warnOf(flagKey, 'TYPE_MISMATCH')
    }
    return fallback
  }

  variant<Fallback = string>(
    flagKey: string,
    subject: Subject | undefined,
    fallback: Fallback,
  ): string | Fallback {
    const answer = this.#askVariant(flagKey, subject)
    return answer === undefined || answer.variantKey === '' ? fallback : answer.variantKey
  }

  attachment<Value = JsonValue>(
    flagKey: string,
    subject: Subject | undefined,
    fallback: Value,
  ): Value {
    const answer = this.#askVariant(flagKey, subject)
    if (answer === undefined) return fallback
    const value = this.#attachmentOf(flagKey, answer.variantAttachment)
    // Its shape is between the application and those who write its flags.
    return value === undefined ? fallback : (value as Value)
  }

  evaluate(flagKey: string, subject?: Subject): Evaluation {
    const answer = this.#ask(flagKey, subject)
    const { revision, isStale } = this
    if (typeof answer === 'string') {
      const nothing = { value: undefined, variantKey: '', attachment: undefined }
      const reason = 'ERROR'
      return { ...nothing, reason, segmentKeys: noKeys, revision, isStale, error: answer }
    }
    const { segmentKeys } = answer
    const rest = {
      reason: reasons[answer.reason],
      segmentKeys,
      revision,
      isStale,
      error: undefined,
    }
    if ('enabled' in answer) {
      return { value: answer.enabled, variantKey: '', attachment: undefined, ...rest }
    }
    const { variantKey, variantAttachment } = answer
    const attachment = this.#attachmentOf(flagKey, variantAttachment)
    return { value: variantKey === '' ? undefined : variantKey, variantKey, attachment, ...rest }
  }

  async waitFor(revision: string, { timeoutMs }: WaitOptions = {}): Promise<void> {
    const wanted = this.waiters.read(revision)
    if (this.#isReady && this.#revision >= wanted) return
    const waiting = this.waiters.wait(wanted, timeoutMs)
    this.refresh()
    await waiting
  }

  on<Name extends keyof FlagEvents>(
    event: Name,
    listener: (event: FlagEvents[Name]) => void,
  ): () => void {
    return this.#emitter.on(event, listener)
  }

  /** Whether it is of interest which flags have changed. */
  protected get wantsChanges(): boolean {
    return this.#emitter.has('change')
  }

  /** Answers are of this revision from now on. */
  protected show(revision: number): void {
    this.#revision = revision
    this.#isReady = true
    this.waiters.reach(revision)
  }

  /** Notifies of what `show` showed. @param flagKeys those that are not what they were */
  protected notify(flagKeys: readonly string[]): void {
    const { revision } = this
    if (flagKeys.length > 0) this.#emitter.emit('change', { flagKeys, revision })
  }

  /** The server has what we have. */
  protected confirm(): void {
    const isNews = this.ageMs === Infinity || this.#isRefused
    this.#isRefused = false
    if (this.freshness.confirm() || isNews)
      this.#emitter.emit('ready', { revision: this.#revision })
  }

  protected checkFreshness(): void {
    if (this.freshness.check()) this.#emitter.emit('stale', { ageMs: this.ageMs })
  }

  /** Begins with flags that no server has confirmed in this process. */
  protected beginStale(ageMs: number): void {
    this.freshness.begin(ageMs)
    this.#emitter.emit('stale', { ageMs: this.ageMs })
  }

  /** Reports what does not heal by itself. */
  protected report(error: SvcError): void {
    if (error.status >= 400) this.#isRefused = true
    this.warnings.warn(error.message, error.message)
    this.#emitter.emit('error', error)
  }

  #ask(flagKey: string, subject: Subject | undefined): Answer | EvaluationError {
    try {
      const answer = this.#isReady ? this.find(flagKey, subject) : 'NOT_READY'
      if (typeof answer === 'string') this.#warnOf(flagKey, answer)
      return answer
    } catch (error) {
      this.#warnOf(flagKey, 'GENERAL', error)
      return 'GENERAL'
    }
  }

  #askVariant(flagKey: string, subject: Subject | undefined): VariantEvaluation | undefined {
    const answer = this.#ask(flagKey, subject)
    if (typeof answer === 'string') return undefined
    if (!('enabled' in answer)) return answer
    this.#warnOf(flagKey, 'TYPE_MISMATCH')
    return undefined
  }

  #attachmentOf(flagKey: string, text: string): JsonValue | undefined {
    try {
      return this.#attachments.read(text)
    } catch (error) {
      this.#warnOf(flagKey, 'GENERAL', error)
      return undefined
    }
  }

  #warnOf(flagKey: string, error: EvaluationError, cause?: unknown): void {
    const isKey = typeof flagKey === 'string' && flagKey.length <= maxKeyLength
    const flag = isKey ? `flag ${JSON.stringify(flagKey)}` : 'what is no key of a flag'
    const detail = cause === undefined ? '' : ` (${reasonOf(cause)})`
    this.warnings.warn(
      flag,
      `${flag} of namespace "${this.namespace}": ${messages[error]}${detail}`,
    )
  }
}

const messages: Readonly<Record<EvaluationError, string>> = {
  FLAG_NOT_FOUND: 'there is no such flag, so the default of the call is used',
  NOT_READY: 'no flags are here yet, so the default of the call is used',
  TYPE_MISMATCH:
    'ask boolean() for boolean flags, variant() and attachment() for variant flags; the default of the call is used',
  INVALID_CONTEXT:
    'answers are kept for the subject of setContext() alone; the default of the call is used',
  GENERAL: 'it cannot be evaluated, so the default of the call is used',
}
