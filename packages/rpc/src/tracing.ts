import { type Metadata, status } from '@grpc/grpc-js'
import {
  type Context,
  contextOf,
  failSpan,
  requestHeaders,
  type Span,
  type SpanDescription,
} from '@svc/telemetry'

/** Metadata that every call carries of the HTTP request that it is for. */
const requestIdKey = 'svc-request-id'

/** What a gateway makes or lets through as an id of a request. */
const requestId = /^[A-Za-z0-9-]{1,64}$/

/** Adds what makes this process's request known to the service. */
export function addRequest(metadata: Metadata): void {
  const { traceparent, tracestate, requestId } = requestHeaders()
  if (requestId !== undefined) metadata.set(requestIdKey, requestId)
  if (traceparent === undefined) return
  metadata.set('traceparent', traceparent)
  if (tracestate) metadata.set('tracestate', tracestate)
}

/** @param metadata of a call that is authenticated: its sender decides whether it is recorded */
export function contextOfCall(metadata: Metadata): Context {
  const id = textOf(metadata, requestIdKey)
  const headers = {
    traceparent: textOf(metadata, 'traceparent'),
    tracestate: textOf(metadata, 'tracestate'),
    requestId: id !== undefined && requestId.test(id) ? id : undefined,
  }
  return contextOf(headers)
}

function textOf(metadata: Metadata, name: string): string | undefined {
  const [value, ...others] = metadata.get(name)
  return typeof value === 'string' && others.length === 0 ? value : undefined
}

/** @param path of the method, with a slash before it */
export function describeCall(path: string, kind: SpanDescription['kind']): SpanDescription {
  const name = path.slice(1)
  return { name, kind, attributes: { 'rpc.system.name': 'grpc', 'rpc.method': name } }
}

/** Says how a call of this process ended. */
export function noteAnswer(span: Span | undefined, code: status): void {
  noteStatus(span, code)
  if (span !== undefined && code !== status.OK) failSpan(span, status[code])
}

/** Says how a call ended; of an error that is thrown, the span has the reason by itself. */
export function noteStatus(span: Span | undefined, code: status): void {
  span?.setAttribute('rpc.response.status_code', status[code])
}
