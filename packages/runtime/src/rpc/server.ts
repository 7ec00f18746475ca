import {
  Metadata,
  Server,
  ServerCredentials,
  type ServerUnaryCall,
  type ServerWritableStream,
  type sendUnaryData,
} from '@grpc/grpc-js'
import { HealthImplementation } from 'grpc-health-check'
import { AppError } from '../errors.ts'
import type { Logger } from '../logging.ts'
import { asBuffer, maxMessageBytes } from './channel.ts'
import {
  type CallContext,
  type Handlers,
  type MethodDefinition,
  methodPath,
  type ServiceDefinition,
} from './definition.ts'
import { addReflection } from './reflection.ts'
import { closingReason, toStatus } from './status.ts'
import { addTrailer } from './trailers.ts'

type Call = ServerUnaryCall<unknown, unknown> | ServerWritableStream<unknown, unknown>

/** How long calls under way may take to finish when the server closes. */
const closeGraceMs = 2000

/**
 * How long a message of a stream may wait to be taken before the reader is dropped. A reader who is
 * alive takes the largest within a second or so, and takes 15 s of silence for the end of the stream.
 */
const defaultSlowReaderMs = 10_000

/** A gRPC server: typed handlers, `grpc.health.v1`, and reflection where a developer listens. */
export class RpcServer {
  readonly #log: Logger
  readonly #health = new HealthImplementation({ '': 'NOT_SERVING' })
  readonly #closing = new AbortController()
  readonly #server = new Server({
    'grpc.max_receive_message_length': maxMessageBytes,
    'grpc.max_concurrent_streams': 1000,
    'grpc.keepalive_time_ms': 30_000,
    'grpc.keepalive_timeout_ms': 5000,
    'grpc.enable_channelz': 0,
  })

  readonly #descriptorSet: URL | undefined
  readonly #slowReaderMs: number

  /**
   * @param descriptorSet what the server tells of its services to tools such as grpcurl, which it
   *   does only where nobody but this machine can ask
   * @param slowReaderMs how long a message of a stream may wait to be taken
   */
  constructor(log: Logger, descriptorSet?: URL, slowReaderMs = defaultSlowReaderMs) {
    this.#log = log
    this.#descriptorSet = descriptorSet
    this.#slowReaderMs = slowReaderMs
    this.#health.addToServer(this.#server)
  }

  add<S extends ServiceDefinition>(service: S, handlers: Handlers<S>): this {
    const implementations: Record<string, unknown> = {}
    const definitions = Object.entries(service.methods).map(([key, method]) => {
      const handler = handlers[key as keyof S['methods']] as (
        request: unknown,
        context: CallContext,
      ) => unknown
      implementations[key] = method.responseStream
        ? (call: ServerWritableStream<unknown, unknown>) =>
            this.#stream(call, handler as (r: unknown, c: CallContext) => AsyncIterable<unknown>)
        : (call: ServerUnaryCall<unknown, unknown>, callback: sendUnaryData<unknown>) =>
            this.#unary(call, callback, handler as (r: unknown, c: CallContext) => Promise<unknown>)
      return [key, toGrpcMethod(service, method)] as const
    })
    this.#server.addService(
      Object.fromEntries(definitions),
      implementations as Parameters<Server['addService']>[1],
    )
    return this
  }

  /**
   * @param address `host:port`; port 0 takes a free one
   * @returns the port
   * @throws {AppError} with reason `address_in_use` or `address_unusable`
   */
  async listen(address: string): Promise<number> {
    if (this.#descriptorSet !== undefined && isLoopback(address)) {
      addReflection(this.#server, this.#descriptorSet)
    }
    const port = await new Promise<number>((resolve, reject) => {
      this.#server.bindAsync(address, ServerCredentials.createInsecure(), (error, bound) => {
        if (error === null) resolve(bound)
        else reject(toListenError(address, error))
      })
    })
    this.#health.setStatus('', 'SERVING')
    return port
  }

  /** Refuses new calls, ends streams, and gives calls under way a moment to finish. */
  async close(): Promise<void> {
    this.#health.setStatus('', 'NOT_SERVING')
    this.#closing.abort()
    const force = setTimeout(() => this.#server.forceShutdown(), closeGraceMs)
    await new Promise<void>((resolve) => this.#server.tryShutdown(() => resolve()))
    clearTimeout(force)
  }

  async #unary(
    call: ServerUnaryCall<unknown, unknown>,
    callback: sendUnaryData<unknown>,
    handler: (request: unknown, context: CallContext) => Promise<unknown>,
  ): Promise<void> {
    const trailer = new Metadata()
    try {
      callback(null, await handler(call.request, contextOf(call, trailer)), trailer)
    } catch (error) {
      this.#report(error, call.getPath())
      const status = toStatus(error)
      if (error instanceof AppError) status.metadata.merge(trailer)
      callback(status)
    }
  }

  async #stream(
    call: ServerWritableStream<unknown, unknown>,
    handler: (request: unknown, context: CallContext) => AsyncIterable<unknown>,
  ): Promise<void> {
    const context = contextOf(call, new Metadata(), this.#closing.signal)
    call.on('error', () => {})
    try {
      for await (const message of handler(call.request, context)) {
        if (context.signal.aborted) break
        await sent(call, message, context.signal, this.#slowReaderMs)
      }
      if (this.#closing.signal.aborted) {
        throw new AppError('unavailable', closingReason, 'the server is closing')
      }
      call.end()
    } catch (error) {
      if (!context.signal.aborted) this.#report(error, call.getPath())
      call.emit('error', toStatus(error))
    }
  }

  #report(error: unknown, path: string): void {
    if (!(error instanceof AppError)) this.#log.error({ err: error, path }, 'call failed')
    else if (error.cause !== undefined) this.#log.warn({ err: error, path }, 'call failed')
  }
}

function toGrpcMethod(service: ServiceDefinition, method: MethodDefinition) {
  return {
    path: methodPath(service, method.name),
    requestStream: method.requestStream,
    responseStream: method.responseStream,
    requestSerialize: (message: unknown) => asBuffer(method.requestType.encode(message).finish()),
    requestDeserialize: (bytes: Buffer) => method.requestType.decode(bytes) as unknown,
    responseSerialize: (message: unknown) => asBuffer(method.responseType.encode(message).finish()),
    responseDeserialize: (bytes: Buffer) => method.responseType.decode(bytes) as unknown,
  }
}

function contextOf(call: Call, trailer: Metadata, closing?: AbortSignal): CallContext {
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

/**
 * Writes a message and waits until the reader has room for it: one message at a time, so that what
 * is kept for a slow reader is one message, however many there are to send.
 *
 * @throws {AppError} `resource_exhausted` when it does not read
 */
function sent(
  call: ServerWritableStream<unknown, unknown>,
  message: unknown,
  signal: AbortSignal,
  limitMs: number,
): Promise<void> {
  return new Promise((resolve, reject) => {
    const end = () => {
      clearTimeout(limit)
      signal.removeEventListener('abort', end)
      resolve()
    }
    const limit = setTimeout(() => {
      signal.removeEventListener('abort', end)
      reject(new AppError('resource_exhausted', 'too_slow', 'reads too slowly'))
    }, limitMs)
    signal.addEventListener('abort', end)
    call.write(message, end)
  })
}

function isLoopback(address: string): boolean {
  return /^(127\.[\d.]+|\[::1\]|localhost):\d+$/.test(address)
}

function toListenError(address: string, error: Error): AppError {
  return /EADDRINUSE/.test(error.message)
    ? new AppError(
        'failed_precondition',
        'address_in_use',
        `${address} is in use by another process`,
      )
    : new AppError('failed_precondition', 'address_unusable', `cannot listen on ${address}`, {
        cause: error,
      })
}
