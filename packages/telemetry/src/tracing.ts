import {
  type Attributes,
  type Context,
  context,
  createContextKey,
  isSpanContextValid,
  ROOT_CONTEXT,
  type Span,
  SpanKind,
  SpanStatusCode,
  TraceFlags,
  trace,
} from '@opentelemetry/api'
import { AsyncLocalStorageContextManager } from '@opentelemetry/context-async-hooks'
import { W3CTraceContextPropagator } from '@opentelemetry/core'
import { AppError, type ErrorCode, version } from '@svc/runtime'

export type { Attributes, Context, Span } from '@opentelemetry/api'

/** Headers and metadata by which a request is known in the next service. */
export interface RequestHeaders {
  readonly traceparent?: string | undefined
  readonly tracestate?: string | undefined
  readonly requestId?: string | undefined
}

const requestIdKey = createContextKey('svc request id')

/** Baggage is not read: what a caller puts there would go to every service behind this one. */
const propagator = new W3CTraceContextPropagator()

let isRecording = false

/** Keeps the context of requests across `await`. Called once in a process, before the first request. */
export function startContexts(): void {
  context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable())
}

/** Whether spans are recorded in this process at all; `startOtlp` says so. */
export function isTracing(): boolean {
  return isRecording
}

export function setTracing(isOn: boolean): void {
  isRecording = isOn
}

/**
 * The context of a request that has arrived, before it has a span. Headers that are malformed count as missing.
 */
export function contextOf({ traceparent, tracestate, requestId }: RequestHeaders): Context {
  const own =
    requestId === undefined ? ROOT_CONTEXT : ROOT_CONTEXT.setValue(requestIdKey, requestId)
  if (traceparent === undefined) return own
  const carrier = { traceparent, ...(tracestate !== undefined && { tracestate }) }
  const sent = trace.getSpanContext(propagator.extract(own, carrier, getter))
  if (sent === undefined || !isSpanContextValid(sent)) return own
  // Other flags are of later versions of the format, and the library would write them wrongly.
  return trace.setSpanContext(own, { ...sent, traceFlags: sent.traceFlags & TraceFlags.SAMPLED })
}

/** Whether the sender of a request records its trace, or this process does. */
export function isSampled(of: Context): boolean {
  const sent = trace.getSpanContext(of)
  return sent !== undefined && (sent.traceFlags & TraceFlags.SAMPLED) !== 0
}

/** The same request, not recorded from here on: its log lines and calls still name its trace. */
export function unsampled(of: Context): Context {
  const sent = trace.getSpanContext(of)
  if (sent === undefined || !isSampled(of)) return of
  return trace.setSpanContext(of, { ...sent, traceFlags: TraceFlags.NONE })
}

const getter = {
  keys: (carrier: object) => Object.keys(carrier),
  get: (carrier: Readonly<Record<string, string>>, name: string) => carrier[name],
}

/** The span of the request in whose context this is called, where it is recorded. */
export function activeSpan(): Span | undefined {
  const span = isRecording ? trace.getActiveSpan() : undefined
  return span?.isRecording() ? span : undefined
}

/** What the next service is sent of the request in whose context this is called. */
export function requestHeaders(): RequestHeaders {
  const active = context.active()
  if (active === ROOT_CONTEXT) return {}
  const headers: Record<string, string> = {}
  propagator.inject(active, headers, {
    set: (carrier, name, value) => {
      carrier[name] = value
    },
  })
  const requestId = active.getValue(requestIdKey)
  return { ...headers, ...(typeof requestId === 'string' && { requestId }) }
}

/** The headers of the trace alone, for a server that is not of ours. */
export function traceHeaders(): Record<string, string> {
  const { traceparent, tracestate } = requestHeaders()
  return { ...(traceparent && { traceparent }), ...(tracestate && { tracestate }) }
}

export function within<T>(of: Context, work: () => T): T {
  return context.with(of, work)
}

/** For what outlives the request that starts it, such as a connection: its lines are of no request. */
export function outsideOfRequests<T>(work: () => T): T {
  return context.with(ROOT_CONTEXT, work)
}

/** The ids of a request, for the lines of its log. */
export function logFields(of: Context = context.active()): Record<string, string> {
  const fields: Record<string, string> = {}
  if (of === ROOT_CONTEXT) return fields
  const requestId = of.getValue(requestIdKey)
  if (typeof requestId === 'string') fields.requestId = requestId
  const span = trace.getSpan(of)
  if (span === undefined) return fields
  const { traceId, spanId } = span.spanContext()
  fields.trace_id = traceId
  // Else it is the caller's.
  if (span.isRecording()) fields.span_id = spanId
  return fields
}

const kinds = {
  client: SpanKind.CLIENT,
  server: SpanKind.SERVER,
} as const

export interface SpanDescription {
  readonly name: string
  readonly kind: keyof typeof kinds
  readonly attributes: Attributes
  /** When it began, by the clock of `performance`. */
  readonly startedAt?: number
}

/** Begins a span, below that of the context if there is one, and its trace if not. The caller ends it. */
export function startSpan(
  { name, kind, attributes, startedAt }: SpanDescription,
  of: Context,
): { readonly span: Span; readonly context: Context } {
  const startTime = startedAt === undefined ? undefined : performance.timeOrigin + startedAt
  const options = { kind: kinds[kind], attributes, ...(startTime !== undefined && { startTime }) }
  const span = trace.getTracer('svc', version).startSpan(name, options, of)
  return { span, context: trace.setSpan(of, span) }
}

/**
 * Runs work in a span where its request is recorded, and else alone. It gets the span to add what is
 * known later.
 */
export function inSpan<T>(
  describe: () => SpanDescription,
  work: (span?: Span) => Promise<T>,
): Promise<T> {
  if (!isRecording) return work()
  const active = context.active()
  if (!isSampled(active)) return work()
  const description = describe()
  const { span, context: own } = startSpan(description, active)
  return context.with(own, () => ending(span, description.kind, () => work(span)))
}

async function ending<T>(span: Span, kind: keyof typeof kinds, work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    noteError(span, error, kind)
    throw error
  } finally {
    span.end()
  }
}

/** Ways to fail that are the caller's, and no fault of a server. */
const callerFaults: ReadonlySet<ErrorCode> = new Set([
  'already_exists',
  'canceled',
  'failed_precondition',
  'invalid_argument',
  'not_found',
  'permission_denied',
  'resource_exhausted',
  'unauthenticated',
])

/** Says why work failed, by the reason alone: the messages of errors have names, and values. */
function noteError(span: Span, error: unknown, kind: keyof typeof kinds): void {
  const isOfCaller = kind === 'server' && error instanceof AppError && callerFaults.has(error.code)
  if (isOfCaller) span.setAttribute('error.type', error.reason)
  else failSpan(span, errorTypeOf(error))
}

/** Marks a span as failed. @param type a class of errors, of which there are few */
export function failSpan(span: Span, type: string): void {
  span.setAttribute('error.type', type)
  span.setStatus({ code: SpanStatusCode.ERROR })
}

function errorTypeOf(error: unknown): string {
  if (error instanceof AppError) return error.reason
  if (!(error instanceof Error)) return '_OTHER'
  return 'code' in error && typeof error.code === 'string' ? error.code : error.name
}
