import {
  type EvaluationContext,
  type JsonValue,
  OpenFeatureEventEmitter,
  type Provider,
  ProviderEvents,
  type ResolutionDetails,
} from '@openfeature/server-sdk'
import { connect, type LocalFlags, type LocalOptions } from '@svc/client'
import { Connection } from './connection.ts'
import { resolveBoolean, resolveNumber, resolveObject, resolveString } from './values.ts'

/** Those of the client: where the service is, the namespace, the credential, and a file for bad days. */
export type SvcProviderOptions = Omit<LocalOptions, 'mode' | 'required'>

/**
 * Provider for servers. It has the flags of a namespace in memory, follows their changes, and evaluates
 * them in this process. When the service is gone it goes on with the flags that it has.
 *
 * @example
 * await OpenFeature.setProviderAndWait(
 *   new SvcProvider({
 *     url: 'https://flags.example.com',
 *     namespace: 'shop',
 *     credential: { token: process.env.SVC_TOKEN },
 *   }),
 * )
 */
export class SvcProvider implements Provider {
  readonly metadata = { name: 'svc' } as const
  readonly runsOn = 'server'
  readonly events: OpenFeatureEventEmitter = new OpenFeatureEventEmitter()
  readonly #connection: Connection<LocalFlags>

  /** Connects in `initialize`, which the SDK calls. */
  constructor(options: SvcProviderOptions) {
    this.#connection = new Connection(
      (attempt) => connect({ ...options, ...attempt, mode: 'local' }),
      (event, details) => this.events.emit(ProviderEvents[event], details),
    )
  }

  /** Resolves when there are flags; rejects after `readyTimeoutMs`, with PROVIDER_FATAL for 403. */
  async initialize(): Promise<void> {
    await this.#connection.open()
  }

  /** Ends the connection, and writes the file of last known good flags. */
  async onClose(): Promise<void> {
    await this.#connection.close()
  }

  /** Whether a boolean flag is on. */
  async resolveBooleanEvaluation(
    flagKey: string,
    fallback: boolean,
    context: EvaluationContext,
  ): Promise<ResolutionDetails<boolean>> {
    return resolveBoolean(this.#connection.flags, { flagKey, context, fallback })
  }

  /** The key of the variant that is served. */
  async resolveStringEvaluation(
    flagKey: string,
    fallback: string,
    context: EvaluationContext,
  ): Promise<ResolutionDetails<string>> {
    return resolveString(this.#connection.flags, { flagKey, context, fallback })
  }

  /** The key of the variant if it is a number, else its attachment if that is one. */
  async resolveNumberEvaluation(
    flagKey: string,
    fallback: number,
    context: EvaluationContext,
  ): Promise<ResolutionDetails<number>> {
    return resolveNumber(this.#connection.flags, { flagKey, context, fallback })
  }

  /** The attachment of the variant, an object or a list. It is frozen. */
  async resolveObjectEvaluation<Value extends JsonValue>(
    flagKey: string,
    fallback: Value,
    context: EvaluationContext,
  ): Promise<ResolutionDetails<Value>> {
    return resolveObject(this.#connection.flags, { flagKey, context, fallback })
  }
}
