import type { IncomingMessage } from 'node:http'
import { AppError, type ErrorCode, invalidArgument, unavailable } from '@svc/runtime'
import type { FastifyBaseLogger } from 'fastify'

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

/** The challenge that names what is wrong. */
export const invalidToken = 'Bearer error="invalid_token"'

/** Writes the JSON body of an error. A route may have a form of its own for it. */
export type ErrorBody = (
  error: AppError,
  status: number,
  params: Readonly<Record<string, string>>,
) => string

/** What an error is answered with: the one way in which an error becomes a response. */
export interface ErrorAnswer {
  readonly status: number
  /** Those that are set already stay as they are. */
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
}

export function toErrorAnswer(
  error: Error,
  { headers }: Pick<IncomingMessage, 'headers'>,
  params: Readonly<Record<string, string>>,
  write: ErrorBody = errorBody,
): ErrorAnswer {
  const known = toAppError(error)
  const status = httpStatusOf(known)
  return {
    status,
    headers: {
      ...(status === 401 && { 'www-authenticate': challengeFor(headers.authorization) }),
      ...((status === 429 || status === 503) && { 'retry-after': '1' }),
    },
    body: write(known, status, params),
  }
}

/** An outage is logged once, where it is noticed, and with every request at `debug` only. */
export function logFailure(log: FastifyBaseLogger, error: Error, status: number): void {
  if (status === 500) log.error({ err: error }, 'request failed')
  else if (status > 501) log.debug({ err: error }, 'request failed')
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

/** RFC 6750 section 3: without a credential in the request, no error is named. */
function challengeFor(authorization: string | undefined): string {
  return authorization === undefined ? 'Bearer' : invalidToken
}
