/** The part of ts-proto's code for a message that is used here. */
export interface MessageType<T> {
  encode(message: T): { finish(): Uint8Array }
  decode(bytes: Uint8Array): T
}

/** One method of a service, as ts-proto's `generic-definitions` describe it. */
export interface MethodDefinition {
  readonly name: string
  // biome-ignore lint/suspicious/noExplicitAny: stands for every message type
  readonly requestType: MessageType<any>
  readonly requestStream: boolean
  // biome-ignore lint/suspicious/noExplicitAny: as above
  readonly responseType: MessageType<any>
  readonly responseStream: boolean
  /** Annotations that ts-proto has no type for, by tag. */
  readonly options?: {
    readonly _unknownFields?: Readonly<Record<number, readonly Uint8Array[]>>
  }
}

export interface ServiceDefinition {
  readonly fullName: string
  readonly methods: Readonly<Record<string, MethodDefinition>>
}

type Request<M extends MethodDefinition> = M['requestType'] extends MessageType<infer T> ? T : never
type Response<M extends MethodDefinition> =
  M['responseType'] extends MessageType<infer T> ? T : never

/** What a handler gets of the call besides its request. */
export interface CallContext<Caller = unknown> {
  /** Result of the server's `authorizeCall`; undefined without one. */
  readonly caller: Caller
  /** Aborts when the caller leaves, its deadline passes or the server closes. */
  readonly signal: AbortSignal
  /** Metadata of the call: the first value of a name. */
  get(name: string): string | undefined
  /** Sends a value after the answer or the refusal, for example the revision of a change. */
  setTrailer(name: string, value: string): void
  /**
   * Sends any number of values of one name, in order, and with any characters. Read with `onTrailers`.
   */
  addTrailer(name: string, value: string): void
}

/** Values that a handler set or added; empty for other names. */
export type Trailers = (name: string) => readonly string[]

/** Functions of a service's methods: unary ones return a promise, streaming ones an async iterable. */
type Functions<S extends ServiceDefinition, More extends unknown[]> = {
  readonly [K in keyof S['methods']]: (
    request: Request<S['methods'][K]>,
    ...more: More
  ) => S['methods'][K]['responseStream'] extends true
    ? AsyncIterable<Response<S['methods'][K]>>
    : Promise<Response<S['methods'][K]>>
}

export type Handlers<S extends ServiceDefinition, Caller = unknown> = Functions<
  S,
  [context: CallContext<Caller>]
>

export interface CallOptions {
  /** Timeout, in milliseconds. Streams have none by default. */
  readonly timeoutMs?: number
  readonly signal?: AbortSignal
  /** Whether to wait for a connection, instead of failing at once without one. */
  readonly waitsForConnection?: boolean
  /** Values of printable ASCII; of names that end in `-bin`, any text. */
  readonly metadata?: Readonly<Record<string, string>>
  /** Called at the end of a unary call, also of one that fails, before its promise is settled. */
  readonly onTrailers?: (trailers: Trailers) => void
}

export type RpcClient<S extends ServiceDefinition> = Functions<S, [options?: CallOptions]>

/** For example `/svc.resource.v1.FlagService/GetFlag`. */
export function methodPath(service: { readonly fullName: string }, methodName: string): string {
  return `/${service.fullName}/${methodName}`
}
