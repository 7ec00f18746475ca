import { Metadata, type ServiceError, status } from '@grpc/grpc-js'
import { AppError, type ErrorCode, unavailable } from '@svc/runtime'

const statusOf: Readonly<Record<ErrorCode, status>> = {
  canceled: status.CANCELLED,
  invalid_argument: status.INVALID_ARGUMENT,
  deadline_exceeded: status.DEADLINE_EXCEEDED,
  not_found: status.NOT_FOUND,
  already_exists: status.ALREADY_EXISTS,
  permission_denied: status.PERMISSION_DENIED,
  resource_exhausted: status.RESOURCE_EXHAUSTED,
  failed_precondition: status.FAILED_PRECONDITION,
  unimplemented: status.UNIMPLEMENTED,
  internal: status.INTERNAL,
  unavailable: status.UNAVAILABLE,
  unauthenticated: status.UNAUTHENTICATED,
}

const codeOf = new Map(Object.entries(statusOf).map(([code, value]) => [value, code as ErrorCode]))

/** Metadata of a status of our own, whose message clients may see. */
const reasonKey = 'svc-reason'

/** Reason of a call that is not from a service of this installation. */
export const untrustedReason = 'untrusted_caller'

/** Reason of a call that carries no valid caller assertion. */
export const unvouchedReason = 'unvouched_caller'

const refusalReasons: readonly unknown[] = [untrustedReason, unvouchedReason]

/** Reason of a call to a server that is closing. */
export const closingReason = 'closing'

/** The status of an error that a handler threw. */
export function toStatus(error: unknown): { code: status; details: string; metadata: Metadata } {
  const metadata = new Metadata()
  if (!(error instanceof AppError)) {
    return { code: status.INTERNAL, details: 'internal error', metadata }
  }
  metadata.set(reasonKey, error.reason)
  // Only a replica that is closing is alone in its refusal: another would answer the same.
  if (error.reason !== closingReason) metadata.set('grpc-retry-pushback-ms', '-1')
  return { code: statusOf[error.code], details: error.message, metadata }
}

/** Maximum length of a peer's message in the log, in characters. */
const maxRefusalLength = 200

/** Message of a peer that refuses the calls of this process: for the log, not for clients. */
export function refusalOf(error: ServiceError): string | undefined {
  const isRefused = refusalReasons.includes(error.metadata?.get(reasonKey)[0])
  return isRefused ? error.details.slice(0, maxRefusalLength) : undefined
}

/** Whether a call failed with its connection, and not by an answer of the server. */
export function isConnectionLost(error: ServiceError | undefined): boolean {
  return error?.code === status.UNAVAILABLE && error.metadata?.get(reasonKey)[0] === undefined
}

/**
 * The error of a failed call for its caller. The text of a status that is not ours names addresses and
 * internals of the library: it becomes the cause, not the message.
 */
export function fromServiceError(error: ServiceError, service: string): AppError {
  const code = codeOf.get(error.code) ?? 'internal'
  const reason = error.metadata?.get(reasonKey)[0]
  const cause = { cause: error }
  // A fault of the installation, not of the client.
  if (refusalReasons.includes(reason))
    return unavailable(`${service} is unavailable, try again`, cause)
  if (reason !== undefined) return new AppError(code, String(reason), error.details)
  switch (code) {
    case 'unavailable':
      return unavailable(`${service} is unavailable, try again`, cause)
    case 'deadline_exceeded':
      return new AppError(code, code, `${service} did not answer in time, try again`, cause)
    case 'canceled':
      return new AppError(code, code, 'the request was canceled', cause)
    case 'resource_exhausted':
      if (!tooLarge.test(error.details)) return defect(cause)
      return new AppError('invalid_argument', 'answer_too_large', tooLargeMessage, cause)
    default:
      return defect(cause)
  }
}

/** Text of gRPC for a message beyond the limit. The code alone has other meanings, too. */
const tooLarge = /^Received message larger than max/

/** It can only be the answer: requests of clients are bounded before they get here. */
const tooLargeMessage = 'the answer is too large; ask for pages with limit'

const defect = (cause: ErrorOptions) =>
  new AppError('internal', 'internal', 'internal error', cause)

/**
 * Suffix of binary metadata. Values of one name are joined by commas; these are in base64, which has
 * none.
 */
const suffix = '-bin'

export function addTrailer(metadata: Metadata, name: string, value: string): void {
  metadata.add(`${name}${suffix}`, Buffer.from(value))
}

/** What a handler has set or added. */
export function readTrailers(metadata: Metadata, name: string): readonly string[] {
  const values = [...metadata.get(name), ...metadata.get(`${name}${suffix}`)]
  return values.map((value) => value.toString())
}
