import { type ServerResponse, STATUS_CODES } from 'node:http'
import type { Socket } from 'node:net'
import { AppError, type ErrorCode, preconditionReasons } from '@svc/runtime'
import { countRefused, type RefusedFor } from '@svc/telemetry'
import type { FastifyBaseLogger } from 'fastify'
import type { Exchange } from './exchange.ts'
import { apiHeaders } from './headers.ts'
import { isKeptForOne } from './pipelining.ts'

/** The HTTP status and the canonical RPC number of each way to fail; the one such table. */
const answers: Readonly<Record<ErrorCode, readonly [status: number, code: number]>> = {
  canceled: [499, 1],
  invalid_argument: [400, 3],
  deadline_exceeded: [504, 4],
  not_found: [404, 5],
  already_exists: [409, 6],
  permission_denied: [403, 7],
  resource_exhausted: [429, 8],
  failed_precondition: [400, 9],
  unimplemented: [501, 12],
  internal: [500, 13],
  unavailable: [503, 14],
  unauthenticated: [401, 16],
}

/** Statuses of errors that have another one than their code. */
const statusOfReason: ReadonlyMap<string, number> = new Map(
  preconditionReasons.map((reason) => [reason, 412]),
)

/** What the HTTP edge refuses, by reason: each has an HTTP status of its own. */
const refusals = {
  malformed_request: [400, 'invalid_argument', 'the request is malformed'],
  malformed_url: [400, 'invalid_argument', 'the URL is malformed'],
  body_ends_early: [400, 'invalid_argument', 'the body ends early'],
  method_not_allowed: [405, 'unimplemented', 'Method Not Allowed'],
  request_timeout: [408, 'deadline_exceeded', 'the request did not arrive in time'],
  body_too_large: [413, 'invalid_argument', 'the body is too large'],
  url_too_long: [414, 'invalid_argument', 'the URL is too long'],
  encoded_body: [415, 'invalid_argument', 'encoded bodies are not accepted'],
  header_too_large: [431, 'invalid_argument', 'the header is too large'],
  unknown_method: [501, 'unimplemented', 'Method Not Allowed'],
  handler_timeout: [503, 'unavailable', 'the request took too long, try again'],
} as const satisfies Record<string, readonly [status: number, ErrorCode, message: string]>

type RefusalReason = keyof typeof refusals

/** Refusals of Fastify and Node.js, by their codes; their own messages repeat what was sent. */
const reasons: ReadonlyMap<unknown, RefusalReason> = new Map([
  ['FST_ERR_BAD_URL', 'malformed_url'],
  ['FST_ERR_MAX_PARAM_LENGTH', 'url_too_long'],
  ['FST_ERR_CTP_INVALID_CONTENT_LENGTH', 'body_ends_early'],
  ['FST_ERR_CTP_BODY_TOO_LARGE', 'body_too_large'],
  ['FST_ERR_HANDLER_TIMEOUT', 'handler_timeout'],
  ['ERR_HTTP_REQUEST_TIMEOUT', 'request_timeout'],
  ['HPE_HEADER_OVERFLOW', 'header_too_large'],
  ['HPE_CHUNK_EXTENSIONS_OVERFLOW', 'body_too_large'],
  ['HPE_INVALID_METHOD', 'unknown_method'],
])

/** A refusal of the HTTP edge. */
export class Refusal extends AppError {
  readonly status: number

  /** @param detail follows the message */
  constructor(reason: RefusalReason, detail = '') {
    const [status, code, message] = refusals[reason]
    super(code, reason, message + detail)
    this.status = status
  }
}

/** The challenge that names what is wrong. */
export const invalidToken = 'Bearer error="invalid_token"'

/** Writes the JSON body of an error. A route may have a form of its own for it. */
export type ErrorBody = (
  error: AppError,
  status: number,
  params: Readonly<Record<string, string>>,
) => string

/** Exactly these three members: clients are strict about them. */
export const errorBody: ErrorBody = ({ code, message }) =>
  JSON.stringify({ code: answers[code][1], message, details: [] })

/**
 * Makes an error the answer of an exchange. An outage is logged at `debug`, as it is logged where it begins.
 *
 * @returns the body
 */
export function answerError(
  exchange: Exchange,
  error: Error,
  log: FastifyBaseLogger,
  write = errorBody,
): string {
  const { raw, params } = exchange.request
  const known = toAppError(error)
  const status = statusOf(known)
  if (status === 500) log.error({ ...exchange.logFields, err: error }, 'request failed')
  else if (status > 501) log.debug({ ...exchange.logFields, err: error }, 'request failed')
  exchange.status = status
  noteRefused(known, status)
  if (status === 401) {
    // RFC 6750 section 3: without a credential in the request, no error is named.
    const { authorization } = raw.headers
    exchange.setDefault('www-authenticate', authorization === undefined ? 'Bearer' : invalidToken)
  }
  if (status === 429 || status === 503) exchange.setDefault('retry-after', '1')
  return write(known, status, params)
}

function statusOf(error: AppError): number {
  if (error instanceof Refusal) return error.status
  return statusOfReason.get(error.reason) ?? answers[error.code][0]
}

/** What Node.js does not document; client-errors.test.ts says when it means something else. */
interface Internals {
  /** The answer that has the connection. */
  readonly _httpMessage?: ServerResponse | null
}

/** Whether an answer has begun on a connection: what is written there now would be a part of it. */
function isAnswering(socket: Socket & Internals): boolean {
  return socket._httpMessage?.headersSent === true || isKeptForOne(socket)
}

/** Answers on the bare socket what Node.js refuses before there is a request, and closes it. */
export function sendClientError(error: NodeJS.ErrnoException, socket: Socket): void {
  const isGone = error.code === 'ECONNRESET' || socket.destroyed || !socket.writable
  if (isGone || isAnswering(socket)) {
    socket.destroy()
    return
  }
  const refusal = new Refusal(reasons.get(error.code) ?? 'malformed_request')
  const { status } = refusal
  noteRefused(refusal, status)
  const body = errorBody(refusal, status, {})
  const headers = {
    'Content-Type': 'application/json',
    'Content-Length': Buffer.byteLength(body),
    ...apiHeaders,
    Connection: 'close',
  }
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`)
  const head = `HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\n${lines.join('')}`
  socket.end(`${head}\r\n${body}`, () => socket.destroy())
}

/** By status, why a request was refused for its number or size. */
const refusedFor: Readonly<Record<number, RefusedFor>> = {
  413: 'size',
  414: 'size',
  429: 'throttle',
  431: 'size',
}

function noteRefused({ reason }: AppError, status: number): void {
  const kind = reason === 'overloaded' ? 'overload' : refusedFor[status]
  if (kind === undefined) return
  const isFull = reason.endsWith('_full') || reason === 'too_many_changes'
  countRefused(reason === 'too_many_streams' ? 'streams' : isFull ? 'size' : kind)
}

function toAppError(error: Error): AppError {
  if (error instanceof AppError) return error
  const reason = 'code' in error ? reasons.get(error.code) : undefined
  if (reason !== undefined) return new Refusal(reason)
  const status = 'statusCode' in error ? Number(error.statusCode) : 500
  return status >= 400 && status < 500
    ? new Refusal('malformed_request')
    : new AppError('internal', 'internal', 'internal error')
}
