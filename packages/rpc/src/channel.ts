import { Client, Metadata, type ServiceError, status } from '@grpc/grpc-js'
import { type AppError, type Logger, LogThrottle } from '@svc/runtime'
import { inSpan, type Span } from '@svc/telemetry'
import { addSecret } from './call-authenticator.ts'
import { Connection } from './connection.ts'
import { ConnectionEnds } from './connection-ends.ts'
import {
  type CallOptions,
  type MethodDefinition,
  methodPath,
  type RpcClient,
  type ServiceDefinition,
} from './definition.ts'
import { Departures, departureKey } from './departures.ts'
import { balancing, Endpoints, endpointsOption, measureEndpoints } from './endpoints.ts'
import { type Protection, toChannelCredentials, unprotected } from './protection.ts'
import { type Resolution, toTarget, usualResolution } from './resolver.ts'
import { measureCalls } from './rpc-metrics.ts'
import { lookIntervalMs } from './silent-peer.ts'
import { fromServiceError, isConnectionLost, readTrailers, refusalOf } from './status.ts'
import { addRequest, describeCall, noteAnswer } from './tracing.ts'
import { WatchedCredentials } from './watched-credentials.ts'

/**
 * Maximum size of a message: a list without a limit comes whole. It holds eight of the largest flags or
 * some hundred thousand usual ones, and several such answers still fit a small machine.
 */
export const maxMessageBytes = 64 * 2 ** 20

/**
 * Flow control window: bytes in flight of a stream of 100 MB a second with a delay of 10 ms. The default
 * of 64 KiB stalls a stream even on one machine.
 */
const windowBytes = 2 ** 20

/** Default timeout of a call, in milliseconds. */
const defaultTimeoutMs = 2000

export interface ChannelOptions {
  /** Name of the service in messages, for example `the auth service`. */
  readonly name: string
  /** How the two services authenticate each other. */
  readonly protection?: Protection
  /**
   * Methods that are retried when the service is unavailable: those that change nothing. A write is
   * retried only when it certainly has not been sent.
   */
  readonly retried?: readonly { readonly service: string; readonly method?: string }[]
  /** Lookup of the name in the address. @default the system's */
  readonly resolution?: Resolution
  /** Receives, once a minute, why the service refuses the calls of this process. */
  readonly log?: Logger
}

/** The bytes of an answer and what came after it. */
export interface RawAnswer {
  readonly bytes: Uint8Array
  trailer(name: string): string | undefined
}

/** Result of one attempt at a call. */
interface Attempt {
  readonly error: ServiceError | undefined
  /** Empty with an error. */
  readonly bytes: Uint8Array
  /** Whether a part of the answer was received. */
  readonly hasBegun: boolean
  /** Whether the connection was lost before the call was sent. */
  readonly isUnsent: boolean
  readonly trailers: Metadata
}

/**
 * Connections to all replicas of a service: calls go round robin. Unreachable ones are left out within some
 * 1.25 s, and draining ones at once. New ones are found within seconds. One per service and process.
 */
export class RpcChannel {
  readonly name: string
  readonly #connection: Connection
  readonly #protection: Protection
  readonly #retried: NonNullable<ChannelOptions['retried']>
  readonly #log: Logger | undefined
  readonly #logThrottle = new LogThrottle()
  readonly #departures = new Departures()
  readonly #ends = new ConnectionEnds()
  readonly #measure = measureCalls('rpc.client.call.duration')
  readonly #endMeasuring: () => void

  /** @param address `host:port`, `dns:///host:port` for all addresses of a name, or `ipv4:a:1,b:2` */
  constructor(address: string, options: ChannelOptions) {
    this.name = options.name
    this.#protection = options.protection ?? unprotected
    this.#retried = options.retried ?? []
    this.#log = options.log
    const clientOptions = {
      'grpc.service_config': JSON.stringify(toServiceConfig(options)),
      // A TXT record of the name could contain a configuration.
      'grpc.service_config_disable_resolution': 1,
      // So that a peer is never silent. Without an answer the connection is destroyed by its credentials.
      'grpc.keepalive_time_ms': lookIntervalMs,
      'grpc.keepalive_permit_without_calls': 1,
      'grpc.initial_reconnect_backoff_ms': 100,
      // A gateway has to be up to date two seconds after a partition has healed.
      'grpc.max_reconnect_backoff_ms': 500,
      'grpc.max_receive_message_length': maxMessageBytes,
      'grpc-node.flow_control_window': windowBytes,
      'grpc.enable_http_proxy': 0,
      'grpc.enable_channelz': 0,
      'grpc.client_idle_timeout_ms': 2 ** 31 - 1,
      'grpc.use_local_subchannel_pool': 1,
    }
    const credentials = new WatchedCredentials(toChannelCredentials(this.#protection), {
      ends: this.#ends,
      onSilent: (address) => this.#noteSilence(address),
    })
    const { resolution = usualResolution } = options
    const departures = this.#departures
    const { target, options: more } = toTarget(address, { ...resolution, departures })
    const endpoints = new Endpoints()
    this.#endMeasuring = measureEndpoints(this.name, endpoints)
    const own = { ...clientOptions, ...more, [endpointsOption]: endpoints }
    const open = () => new Client(target, credentials, own)
    this.#connection = new Connection(open)
  }

  /** @throws {AppError} for any failure, in terms that a client may see */
  async call(path: string, bytes: Uint8Array, options: CallOptions = {}): Promise<RawAnswer> {
    const startedAt = performance.now()
    const deadline = toDeadline(options.timeoutMs ?? defaultTimeoutMs)
    const attempt = () =>
      inSpan(
        () => describeCall(path, 'client'),
        (span) => this.#attempt(path, bytes, options, deadline, span),
      )
    const first = await attempt()
    // gRPC retries until an answer has begun, and not when the replica fails within it.
    const isCutOff = first.hasBegun && isConnectionLost(first.error) && this.#isRetried(path)
    const last = isCutOff || first.isUnsent ? await attempt() : first
    this.#measure(path, last.error?.code ?? status.OK, startedAt)
    const trailer = (name: string) => last.trailers.get(name)[0]?.toString()
    options.onTrailers?.((name) => readTrailers(last.trailers, name))
    if (last.error !== undefined) throw this.#toError(last.error)
    return { bytes: last.bytes, trailer }
  }

  #attempt(
    path: string,
    request: Uint8Array,
    options: CallOptions,
    deadline: number | undefined,
    span: Span | undefined,
  ): Promise<Attempt> {
    return new Promise((resolve) => {
      let hasBegun = false
      let error: ServiceError | undefined
      let bytes: Uint8Array = Buffer.of()
      // Node writes a call at the end of the turn of the event loop in which it begins.
      let sentAt = Number.POSITIVE_INFINITY
      setImmediate(() => {
        sentAt = performance.now()
      })
      const call = this.#connection.client.makeUnaryRequest(
        path,
        asBuffer,
        identity,
        request,
        this.#toMetadata(options),
        deadline === undefined ? {} : { deadline },
        (failure: ServiceError | null, answer?: Uint8Array) => {
          error = failure ?? undefined
          bytes = answer ?? bytes
        },
      )
      call.on('metadata', () => {
        hasBegun = true
      })
      // The last event, when the answer is known.
      call.on('status', ({ metadata, code }) => {
        noteAnswer(span, code)
        const [left] = metadata.get(departureKey)
        if (left !== undefined) this.#departures.note(call.getPeer(), String(left))
        const isUnsent = isConnectionLost(error) && this.#ends.isBefore(call.getPeer(), sentAt)
        resolve({ error, bytes, hasBegun, isUnsent, trailers: metadata })
      })
      cancelOn(options.signal, call)
    })
  }

  /** A typed client of one of the services behind the channel. */
  client<S extends ServiceDefinition>(service: S): RpcClient<S> {
    const methods = Object.entries(service.methods).map(([key, method]) => {
      const path = methodPath(service, method.name)
      return [
        key,
        method.responseStream
          ? (request: unknown, options?: CallOptions) =>
              this.#stream(path, method, request, options ?? {})
          : async (request: unknown, options?: CallOptions): Promise<unknown> => {
              const bytes = method.requestType.encode(request).finish()
              return method.responseType.decode((await this.call(path, bytes, options)).bytes)
            },
      ]
    })
    return Object.fromEntries(methods) as RpcClient<S>
  }

  close(): void {
    this.#endMeasuring()
    this.#connection.close()
  }

  #noteSilence(address: string): void {
    if (!this.#logThrottle.shouldLog(address)) return
    this.#log?.warn(
      { peer: this.name, address },
      'a peer was silent for a second: its connection is ended',
    )
  }

  /** The log, and no client, learns which setting is wrong. */
  #toError(error: ServiceError): AppError {
    const refusal = refusalOf(error)
    if (refusal !== undefined && this.#logThrottle.shouldLog('refused')) {
      const message = `${this.name} refused the calls of this service: ${refusal}`
      this.#log?.error({ peer: this.name }, message)
    }
    return fromServiceError(error, this.name)
  }

  #isRetried(path: string): boolean {
    return this.#retried.some(
      ({ service, method }) =>
        path === `/${service}/${method}` ||
        (method === undefined && path.startsWith(`/${service}/`)),
    )
  }

  #toMetadata({ metadata = {}, waitsForConnection = false }: CallOptions): Metadata {
    const result = new Metadata({ waitForReady: waitsForConnection })
    addRequest(result)
    for (const [name, value] of Object.entries(metadata)) {
      try {
        result.set(name, name.endsWith('-bin') ? Buffer.from(value) : value)
      } catch {
        // The error of the library quotes the value, which may be a secret.
        throw new Error(`the value of ${name} cannot be sent as metadata`)
      }
    }
    addSecret(result, this.#protection)
    return result
  }

  async *#stream(
    path: string,
    method: MethodDefinition,
    request: unknown,
    options: CallOptions,
  ): AsyncGenerator<unknown> {
    const bytes = method.requestType.encode(request).finish()
    const deadline = toDeadline(options.timeoutMs)
    const call = this.#connection.client.makeServerStreamRequest(
      path,
      asBuffer,
      (answer: Buffer) => method.responseType.decode(answer) as unknown,
      bytes,
      this.#toMetadata(options),
      deadline === undefined ? {} : { deadline },
    )
    cancelOn(options.signal, call)
    try {
      yield* call as AsyncIterable<unknown>
    } catch (error) {
      throw this.#toError(error as ServiceError)
    } finally {
      call.on('error', () => {})
      call.cancel()
    }
  }
}

function toServiceConfig({ retried = [] }: ChannelOptions) {
  return {
    loadBalancingConfig: [{ [balancing]: {} }],
    methodConfig: [
      {
        name: retried,
        retryPolicy: {
          maxAttempts: 4,
          initialBackoff: '0.02s',
          maxBackoff: '0.2s',
          backoffMultiplier: 2,
          retryableStatusCodes: ['UNAVAILABLE'],
        },
      },
    ].filter(({ name }) => name.length > 0),
    retryThrottling: { maxTokens: 100, tokenRatio: 0.5 },
  }
}

function toDeadline(timeoutMs: number | undefined): number | undefined {
  return timeoutMs === undefined ? undefined : Date.now() + timeoutMs
}

function cancelOn(
  signal: AbortSignal | undefined,
  call: { cancel(): void; on(event: 'status', listener: () => void): unknown },
): void {
  if (signal === undefined) return
  const cancel = () => call.cancel()
  if (signal.aborted) cancel()
  signal.addEventListener('abort', cancel, { once: true })
  call.on('status', () => signal.removeEventListener('abort', cancel))
}

/** The same bytes, not a copy. */
export const asBuffer = (bytes: Uint8Array) =>
  Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
const identity = (bytes: Buffer): Uint8Array => bytes
