import type { EvaluationContext, EvaluationDetails, FlagValue, JsonValue } from '@openfeature/core'
import * as serverSdk from '@openfeature/server-sdk'
import * as webSdk from '@openfeature/web-sdk'
import { SvcProvider as ServerProvider } from '@svc/openfeature/server'
import { SvcProvider as WebProvider } from '@svc/openfeature/web'
import type { Test } from '../../support/listen.ts'

/** Those that both providers have. */
export interface ProviderOptions {
  readonly url: string
  readonly namespace: string
  readonly credential?: { readonly token: string }
  /** Only of the one for servers. */
  readonly tokenFile?: string
  readonly readyTimeoutMs?: number
  readonly logger?: { warn(message: string): void }
  /** Only of the one for servers. */
  readonly lastKnownGood?: string
}

/** Those of the SDKs, by what both have. */
export interface Hook {
  readonly before?: (context: HookContext) => void
  readonly after?: (context: HookContext, details: EvaluationDetails<FlagValue>) => void
  readonly error?: (context: HookContext, error: unknown) => void
  readonly finally?: (context: HookContext, details: EvaluationDetails<FlagValue>) => void
}

type HookContext = Parameters<typeof serverSdk.createEvaluationEvent>[0]

export type EventName =
  | 'Ready'
  | 'Stale'
  | 'Error'
  | 'ConfigurationChanged'
  | 'Reconciling'
  | 'ContextChanged'

export interface EventRecord {
  readonly providerName?: string
  readonly message?: string
  readonly errorCode?: string
  readonly flagsChanged?: readonly string[]
}

type Handler = (details?: EventRecord) => void

/** A provider of ours in a domain of its own, as an application uses it. */
export interface Application {
  readonly domain: string
  readonly provider: ServerProvider | WebProvider
  /** Sets the provider; rejects when its initialization does. */
  start(): Promise<void>
  /** Sets one that serves nothing in place of it. */
  replace(): Promise<void>
  setContext(context: EvaluationContext): Promise<void>
  /**
   * Asks for a value of the type of the fallback.
   *
   * @param context of the call; where contexts are static it is set before
   */
  details(
    flagKey: string,
    fallback: FlagValue,
    context?: EvaluationContext,
    hooks?: readonly Hook[],
  ): Promise<EvaluationDetails<FlagValue>>
  status(): string
  /** Adds a handler to the client. */
  on(event: EventName, handler: Handler): void
}

/** An SDK and our provider for it. */
export interface Kind {
  readonly name: 'server' | 'web'
  readonly providerName: string
  open(t: Test, options: ProviderOptions): Application
  /** Adds a handler to the API. */
  onApi(event: EventName, handler: Handler): void
  providerNameOf(domain: string): string
  closeApi(): Promise<void>
}

const quiet = { error() {}, warn() {}, info() {}, debug() {} }
serverSdk.OpenFeature.setLogger(quiet)
webSdk.OpenFeature.setLogger(quiet)

let count = 0

const server: Kind = {
  name: 'server',
  providerName: 'svc',
  open(t, { tokenFile, ...options }) {
    const { OpenFeature, ProviderEvents, NOOP_PROVIDER } = serverSdk
    const domain = `server-${++count}`
    const provider = new ServerProvider({
      logger: quiet,
      ...options,
      ...(tokenFile !== undefined && { credential: { tokenFile } }),
    })
    const client = OpenFeature.getClient(domain)
    t.teardown(() => provider.onClose())
    return {
      domain,
      provider,
      start: () => OpenFeature.setProviderAndWait(domain, provider),
      replace: () => OpenFeature.setProviderAndWait(domain, noProvider(NOOP_PROVIDER)),
      async setContext(context) {
        client.setContext(context)
      },
      async details(flagKey, fallback, context = {}, hooks = []) {
        const options = { hooks: [...hooks] }
        switch (typeof fallback) {
          case 'boolean':
            return client.getBooleanDetails(flagKey, fallback, context, options)
          case 'string':
            return client.getStringDetails(flagKey, fallback, context, options)
          case 'number':
            return client.getNumberDetails(flagKey, fallback, context, options)
          default:
            return client.getObjectDetails(flagKey, fallback as JsonValue, context, options)
        }
      },
      status: () => client.providerStatus,
      on: (event, handler) => client.addHandler(ProviderEvents[serverEvent(event)], handler),
    }
  },
  onApi: (event, handler) =>
    serverSdk.OpenFeature.addHandler(serverSdk.ProviderEvents[serverEvent(event)], handler),
  providerNameOf: (domain) => serverSdk.OpenFeature.getProviderMetadata(domain).name,
  closeApi: () => serverSdk.OpenFeature.close(),
}

const web: Kind = {
  name: 'web',
  providerName: 'svc-web',
  open(t, { lastKnownGood: _file, tokenFile: _token, ...options }) {
    const { OpenFeature, ProviderEvents, NOOP_PROVIDER } = webSdk
    const domain = `web-${++count}`
    const provider = new WebProvider({ logger: quiet, ...options })
    const client = OpenFeature.getClient(domain)
    t.teardown(() => provider.onClose())
    return {
      domain,
      provider,
      start: () => OpenFeature.setProviderAndWait(domain, provider),
      replace: () => OpenFeature.setProviderAndWait(domain, noProvider(NOOP_PROVIDER)),
      setContext: (context) => OpenFeature.setContext(domain, context),
      async details(flagKey, fallback, context, hooks = []) {
        if (context !== undefined) await OpenFeature.setContext(domain, context)
        const options = { hooks: [...hooks] }
        switch (typeof fallback) {
          case 'boolean':
            return client.getBooleanDetails(flagKey, fallback, options)
          case 'string':
            return client.getStringDetails(flagKey, fallback, options)
          case 'number':
            return client.getNumberDetails(flagKey, fallback, options)
          default:
            return client.getObjectDetails(flagKey, fallback as JsonValue, options)
        }
      },
      status: () => client.providerStatus,
      on: (event, handler) => client.addHandler(ProviderEvents[event], handler),
    }
  },
  onApi: (event, handler) => webSdk.OpenFeature.addHandler(webSdk.ProviderEvents[event], handler),
  providerNameOf: (domain) => webSdk.OpenFeature.getProviderMetadata(domain).name,
  closeApi: () => webSdk.OpenFeature.close(),
}

export const kinds: readonly Kind[] = [server, web]

/** One more of those that do nothing: the SDK knows providers by identity. */
function noProvider<P extends object>(provider: P): P {
  return Object.create(provider) as P
}

function serverEvent(event: EventName) {
  if (event === 'Reconciling' || event === 'ContextChanged') {
    throw new Error(`servers have no ${event}`)
  }
  return event
}
