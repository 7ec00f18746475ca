import { AppError, type ErrorCode, invalidArgument, unavailable } from '@svc/runtime'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { isOfrepRequest, ofrepErrorBody } from '../answers/ofrep/errors.ts'
import { refusedCookie, severalCookies } from '../identity/refusals.ts'
import { apiHeaders } from './headers.ts'

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

/** Reasons that HTTP has a status of its own for. They arise in the gateway only. */
const statusOfReason: ReadonlyMap<string, number> = new Map([
  ['method_not_allowed', 405],
  ['body_too_large', 413],
  ['url_too_long', 414],
  ['encoded_body', 415],
  ['header_too_large', 431],
])

/** What Fastify itself refuses, in our words: its own repeat what was sent. */
const fromFastify: ReadonlyMap<string, () => AppError> = new Map([
  ['FST_ERR_BAD_URL', malformedUrl],
  ['FST_ERR_MAX_PARAM_LENGTH', urlTooLong],
  ['FST_ERR_CTP_INVALID_CONTENT_LENGTH', () => invalidArgument('the body ends early')],
  ['FST_ERR_CTP_BODY_TOO_LARGE', bodyTooLarge],
  ['FST_ERR_HANDLER_TIMEOUT', () => unavailable('the request took too long, try again')],
])

export function malformedUrl(): AppError {
  return new AppError('invalid_argument', 'malformed_url', 'the URL is malformed')
}

export function urlTooLong(): AppError {
  return new AppError('invalid_argument', 'url_too_long', 'the URL is too long')
}

export function bodyTooLarge(): AppError {
  return new AppError('invalid_argument', 'body_too_large', 'the body is too large')
}

export function headerTooLarge(): AppError {
  return new AppError('invalid_argument', 'header_too_large', 'the header is too large')
}

/** Fastify's error handler: the one place where an error becomes a response. */
export function sendError(error: Error, request: FastifyRequest, reply: FastifyReply): void {
  const known = toAppError(error)
  const status = httpStatusOf(known)
  if (status === 500) request.log.error({ err: error }, 'request failed')
  // What is away is logged once, where it is followed, and not again with every request.
  else if (status > 501) request.log.debug({ err: error }, 'request failed')
  if (status === 401) reply.header('www-authenticate', challengeFor(known, request))
  if (isWorthRetrying(status) && !reply.hasHeader('retry-after')) reply.header('retry-after', '1')
  // Fastify closes the connection after a body it has not read to its end, and then the sender may
  // not get to see this answer. Node.js reads the rest, for as long as a request may take.
  // To remove one that is not there would keep Node.js from ending a connection after its last request.
  const isOfFastify = reply.hasHeader('connection') && !reply.raw.hasHeader('connection')
  if (isOfFastify) reply.removeHeader('connection')
  const body = isOfrepRequest(request) ? ofrepErrorBody(known, status, request) : errorBody(known)
  reply
    .code(status)
    .headers({ 'content-type': 'application/json', 'cache-control': 'no-store' })
    .send(Buffer.from(body))
}

/** The same for errors that arise before a route, and with it any hook, is found. */
export function frameworkErrorSender(headers: Readonly<Record<string, string>> = apiHeaders) {
  return (error: Error, request: FastifyRequest, reply: FastifyReply): void => {
    sendError(error, request, reply.headers(headers))
  }
}

function isWorthRetrying(status: number): boolean {
  return status === 429 || status === 503
}

function httpStatusOf({ code, reason }: AppError): number {
  return statusOfReason.get(reason) ?? answers[code][0]
}

/** Exactly these three members: clients are strict about them. */
export function errorBody({ code, message }: AppError): string {
  return JSON.stringify({ code: answers[code][1], message, details: [] })
}

function toAppError(error: Error): AppError {
  if (error instanceof AppError) return error
  const translate = 'code' in error ? fromFastify.get(String(error.code)) : undefined
  if (translate !== undefined) return translate()
  if ('statusCode' in error && isClientError(error.statusCode)) {
    return invalidArgument('the request is malformed')
  }
  return new AppError('internal', 'internal', 'internal error')
}

function isClientError(status: unknown): boolean {
  return typeof status === 'number' && status >= 400 && status < 500
}

const cookieReasons: ReadonlySet<string> = new Set([refusedCookie, severalCookies])

/** RFC 6750 section 3: without a credential in the request, no error is named. */
function challengeFor({ reason }: AppError, { headers }: FastifyRequest): string {
  const isPresented = headers.authorization !== undefined || cookieReasons.has(reason)
  return isPresented ? 'Bearer error="invalid_token"' : 'Bearer'
}
