import { setTimeout as sleep } from 'node:timers/promises'
import {
  status as codes,
  Metadata,
  Server,
  type ServerUnaryCall,
  type ServerWritableStream,
  type sendUnaryData,
  status,
  type UntypedServiceImplementation,
} from '@grpc/grpc-js'
import { AppError, invalidArgument, type Logger } from '@svc/runtime'
import { inSpan, observeGauge, within } from '@svc/telemetry'
import { HealthImplementation } from 'grpc-health-check'
import { authenticating } from './authenticating.ts'
import { CallAuthenticator } from './call-authenticator.ts'
import { asBuffer } from './channel.ts'
import {
  type CallContext,
  type Handlers,
  type MethodDefinition,
  methodPath,
  type ServiceDefinition,
} from './definition.ts'
import { departureKey } from './departures.ts'
import { type Protection, requireProtection, toServerCredentials } from './protection.ts'
import { measureCalls } from './rpc-metrics.ts'
import { addTrailer, closingReason, toStatus } from './status.ts'
import { writeMessage } from './stream-writer.ts'
import { contextOfCall, describeCall, noteStatus } from './tracing.ts'

/**
 * Maximum size of a request, also inflated: a body of 4 MiB makes some 5 MiB. Answers may be
 * larger.
 */
export const maxRequestBytes = 8 * 2 ** 20

/**
 * Grace period of calls in progress when the server closes, in milliseconds: as long as a write may take.
 * The caller of a write that is cut off does not learn whether it was made.
 */
const closeGraceMs = 14_000

/**
 * Maximum wait for a stream's reader to take a message, in milliseconds. A working reader takes the largest
 * within a second or so, and treats 15 s of silence as the end of the stream.
 */
const defaultSlowReaderMs = 10_000

export interface RpcServerOptions<Caller> {
  readonly log: Logger
  /** How callers are authenticated. Health needs no authentication. */
  readonly protection: Protection
  /** Authorizes a call of an authenticated service, and finds its caller. */
  readonly authorizeCall?: AuthorizeCall<Caller>
  /** Maximum wait for a stream's reader to take a message, in milliseconds. */
  readonly slowReaderMs?: number
}

/** @returns what becomes `context.caller`. @throws {AppError} to refuse the call */
export type AuthorizeCall<Caller = unknown> = (
  service: ServiceDefinition,
  method: MethodDefinition,
  request: unknown,
  context: Omit<CallContext, 'caller'>,
) => Caller

type UnaryCall = ServerUnaryCall<Buffer, unknown>
type StreamCall = ServerWritableStream<Buffer, unknown>
type UnaryHandler<Caller> = (request: unknown, context: CallContext<Caller>) => Promise<unknown>
type StreamHandler<Caller> = (
  request: unknown,
  context: CallContext<Caller>,
) => AsyncIterable<unknown>
type MethodOfGrpc = ReturnType<typeof toGrpcMethod>

/** A method and its service. */
interface Served {
  readonly service: ServiceDefinition
  readonly method: MethodDefinition
}

/** A gRPC server: typed handlers and `grpc.health.v1`. */
export class RpcServer<Caller = unknown> {
  readonly #log: Logger
  readonly #protection: Protection
  readonly #authorizeCall: AuthorizeCall<Caller> | undefined
  readonly #health = new HealthImplementation({ '': 'NOT_SERVING' })
  readonly #closing = new AbortController()
  /** End of the drain, by the clock of `performance`. */
  #departsAt: number | undefined
  readonly #server: Server
  readonly #slowReaderMs: number
  readonly #measure = measureCalls('rpc.server.call.duration')
  #openStreams = 0
  readonly #endMeasuring = observeGauge('svc.streams', (result) =>
    result.observe(this.#openStreams, { kind: 'rpc' }),
  )

  constructor(options: RpcServerOptions<Caller>) {
    const { log, protection, authorizeCall, slowReaderMs } = options
    this.#log = log
    this.#protection = protection
    this.#authorizeCall = authorizeCall
    this.#slowReaderMs = slowReaderMs ?? defaultSlowReaderMs
    const authenticator = new CallAuthenticator(protection, log)
    this.#server = new Server({
      'grpc.max_receive_message_length': maxRequestBytes,
      'grpc.max_concurrent_streams': 1000,
      'grpc.keepalive_time_ms': 30_000,
      'grpc.keepalive_timeout_ms': 5000,
      'grpc.enable_channelz': 0,
      interceptors: [
        authenticating(authenticator, (error, { path, responseStream }) => {
          const refusal = this.#refusal(error)
          if (!responseStream) this.#measure(path, refusal.code, performance.now())
          return refusal
        }),
      ],
    })
    this.#health.addToServer(this.#server)
  }

  add<S extends ServiceDefinition>(service: S, handlers: Handlers<S, Caller>): this {
    const definitions: Record<string, MethodOfGrpc> = {}
    const implementations: UntypedServiceImplementation = {}
    for (const [key, method] of Object.entries(service.methods)) {
      const handler: unknown = handlers[key as keyof S['methods']]
      const served = { service, method }
      definitions[key] = toGrpcMethod(service, method)
      implementations[key] = method.responseStream
        ? (call: StreamCall) =>
            this.#counted(() => this.#stream(call, served, handler as StreamHandler<Caller>))
        : (call: UnaryCall, callback: sendUnaryData<unknown>) =>
            this.#unary(
              call,
              this.#measured(call, callback),
              served,
              handler as UnaryHandler<Caller>,
            )
    }
    this.#server.addService(definitions, implementations)
    return this
  }

  /**
   * @param address `host:port`, where `[::]` is every interface; port 0 takes a free one
   * @returns the port
   * @throws {AppError} with reason `address_in_use` or `address_unusable`; or `unprotected` when other
   *   machines can reach a server without protection
   */
  async listen(address: string): Promise<number> {
    requireProtection(this.#protection, address)
    const port = await this.#bindAny(address).catch((error: Error) => {
      throw toListenError(address, error)
    })
    this.#health.setStatus('', 'SERVING')
    return port
  }

  /** `[::]` is all interfaces of both families, and of the one that there is where the system has no IPv6. */
  #bindAny(address: string): Promise<number> {
    return this.#bind(address).catch((error: Error) => {
      if (!address.startsWith('[::]:') || !error.message.includes('EAFNOSUPPORT')) throw error
      return this.#bind(address.replace('[::]', '0.0.0.0'))
    })
  }

  #bind(address: string): Promise<number> {
    const credentials = toServerCredentials(this.#protection)
    return new Promise((resolve, reject) => {
      this.#server.bindAsync(address, credentials, (error, port) => {
        if (error === null) resolve(port)
        else reject(error)
      })
    })
  }

  /**
   * Serves for `drainMs` more, and asks callers with each answer to use another replica. When the server
   * closes, no call should be in flight: a write that crosses the end of its connection may be lost.
   */
  async drain(drainMs: number): Promise<void> {
    this.#departsAt = performance.now() + drainMs
    this.#health.setStatus('', 'NOT_SERVING')
    await sleep(drainMs, undefined, { ref: false })
  }

  /** @returns a callback that measures the call as well */
  #measured(call: UnaryCall, callback: sendUnaryData<unknown>): sendUnaryData<unknown> {
    const startedAt = performance.now()
    return (error, ...answer) => {
      this.#measure(call.getPath(), error?.code ?? status.OK, startedAt)
      callback(error, ...answer)
    }
  }

  async #counted(serve: () => Promise<void>): Promise<void> {
    this.#openStreams += 1
    await serve()
    this.#openStreams -= 1
  }

  /** Refuses new calls, ends streams, and lets calls in progress finish. */
  async close(): Promise<void> {
    this.#health.setStatus('', 'NOT_SERVING')
    this.#closing.abort()
    this.#endMeasuring()
    const force = setTimeout(() => this.#server.forceShutdown(), closeGraceMs)
    await new Promise<void>((resolve) => this.#server.tryShutdown(() => resolve()))
    clearTimeout(force)
  }

  async #unary(
    call: UnaryCall,
    callback: sendUnaryData<unknown>,
    served: Served,
    handler: UnaryHandler<Caller>,
  ): Promise<void> {
    const trailer = new Metadata()
    const answerCall = async () => {
      const { request, context } = this.#accept(call, served, contextOf(call, trailer))
      return handler(request, context)
    }
    try {
      const answer = await this.#inContext(call, answerCall)
      this.#addDeparture(trailer)
      callback(null, answer, trailer)
    } catch (error) {
      const status = this.#refusal(error)
      if (error instanceof AppError) status.metadata.merge(trailer)
      callback(status)
    }
  }

  /** Handles a call as a part of the request that it is for. */
  #inContext<T>(call: UnaryCall | StreamCall, work: () => Promise<T>): Promise<T> {
    const path = call.getPath()
    return within(contextOfCall(call.metadata), () =>
      inSpan(
        () => describeCall(path, 'server'),
        async (span) => {
          try {
            const answer = await work()
            noteStatus(span, codes.OK)
            return answer
          } catch (error) {
            this.#report(error, path)
            noteStatus(span, toStatus(error).code)
            throw error
          }
        },
      ),
    )
  }

  #refusal(error: unknown): ReturnType<typeof toStatus> {
    const status = toStatus(error)
    this.#addDeparture(status.metadata)
    return status
  }

  #addDeparture(trailer: Metadata): void {
    if (this.#departsAt === undefined) return
    const leftMs = Math.max(Math.round(this.#departsAt - performance.now()), 0)
    trailer.set(departureKey, String(leftMs))
  }

  async #stream(call: StreamCall, served: Served, handler: StreamHandler<Caller>): Promise<void> {
    const unauthorized = contextOf(call, new Metadata(), this.#closing.signal)
    const { signal } = unauthorized
    call.on('error', () => {})
    try {
      const { request, context } = this.#accept(call, served, unauthorized)
      for await (const message of handler(request, context)) {
        if (signal.aborted) break
        await writeMessage(call, message, signal, this.#slowReaderMs)
      }
      if (this.#closing.signal.aborted) {
        throw new AppError('unavailable', closingReason, 'the server is closing')
      }
      call.end()
    } catch (error) {
      if (!signal.aborted) this.#report(error, call.getPath())
      call.emit('error', toStatus(error))
    }
  }

  /** Decodes the request of a call and authorizes it. @throws {AppError} to refuse it */
  #accept(
    call: UnaryCall | StreamCall,
    { service, method }: Served,
    unauthorized: Omit<CallContext, 'caller'>,
  ): { readonly request: unknown; readonly context: CallContext<Caller> } {
    const request = decode(method, call.request)
    const caller = this.#authorizeCall?.(service, method, request, unauthorized) as Caller
    return { request, context: { ...unauthorized, caller } }
  }

  #report(error: unknown, path: string): void {
    if (!(error instanceof AppError)) this.#log.error({ err: error, path }, 'call failed')
    else if (error.cause !== undefined) this.#log.warn({ err: error, path }, 'call failed')
  }
}

function toListenError(address: string, cause: Error): AppError {
  const [reason, message] = /EADDRINUSE/.test(cause.message)
    ? ['address_in_use', `${address} is in use by another process`]
    : ['address_unusable', `cannot listen on ${address}`]
  return new AppError('failed_precondition', reason, message, { cause })
}

function toGrpcMethod(service: ServiceDefinition, method: MethodDefinition) {
  return {
    path: methodPath(service, method.name),
    requestStream: method.requestStream,
    responseStream: method.responseStream,
    requestSerialize: (message: unknown) => asBuffer(method.requestType.encode(message).finish()),
    // Decoded where a failure is our own refusal.
    requestDeserialize: (bytes: Buffer) => bytes,
    responseSerialize: (message: unknown) => asBuffer(method.responseType.encode(message).finish()),
    responseDeserialize: (bytes: Buffer) => method.responseType.decode(bytes) as unknown,
  }
}

/** @throws {AppError} `invalid_argument` for bytes that are no such message */
function decode({ requestType }: MethodDefinition, bytes: Uint8Array): unknown {
  try {
    return requestType.decode(bytes)
  } catch {
    throw invalidArgument('the request cannot be decoded')
  }
}

function contextOf(
  call: UnaryCall | StreamCall,
  trailer: Metadata,
  closing?: AbortSignal,
): Omit<CallContext, 'caller'> {
  const left = new AbortController()
  call.on('cancelled', () => left.abort())
  if (call.cancelled) left.abort()
  return {
    signal: closing === undefined ? left.signal : AbortSignal.any([left.signal, closing]),
    get: (name) => call.metadata.get(name)[0]?.toString(),
    setTrailer: (name, value) => trailer.set(name, value),
    addTrailer: (name, value) => addTrailer(trailer, name, value),
  }
}
