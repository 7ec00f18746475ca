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

const distrust: readonly unknown[] = [untrustedReason, unvouchedReason]

/** Reason of a call to a server that is closing. */
export const closingReason = 'closing'

/** What goes over the wire for an error that a handler threw. */
export function toStatus(error: unknown): { code: status; details: string; metadata: Metadata } {
  const metadata = new Metadata()
  if (!(error instanceof AppError)) {
    return { code: status.INTERNAL, details: 'internal error', metadata }
  }
  metadata.set(reasonKey, error.reason)
  // Another replica would say the same, after the same wait; only one that is closing is alone.
  if (error.reason !== closingReason) metadata.set('grpc-retry-pushback-ms', '-1')
  return { code: statusOf[error.code], details: error.message, metadata }
}

/** Maximum length of what is logged of a peer's words, in characters. */
const maxRefusalLength = 200

/** What a peer says that does not accept the calls of this service: for the log, not for clients. */
export function refusalOf(error: ServiceError): string | undefined {
  const isRefused = distrust.includes(error.metadata?.get(reasonKey)[0])
  return isRefused ? error.details.slice(0, maxRefusalLength) : undefined
}

/** Whether a call failed with the connection: nobody on the far side said so. */
export function isConnectionLost(error: ServiceError | undefined): boolean {
  return error?.code === status.UNAVAILABLE && error.metadata?.get(reasonKey)[0] === undefined
}

/**
 * What a failed call means to the one who made it. The text of a status that is not ours names
 * addresses and library internals, so it becomes the cause and not the message.
 */
export function fromServiceError(error: ServiceError, service: string): AppError {
  const code = codeOf.get(error.code) ?? 'internal'
  const reason = error.metadata?.get(reasonKey)[0]
  const cause = { cause: error }
  // Nothing that whoever waits for the answer has done, or could do anything about.
  if (distrust.includes(reason)) return unavailable(`${service} is unavailable, try again`, cause)
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

/** What gRPC says of a message beyond the limit; it uses the code for other shortages as well. */
const tooLarge = /^Received message larger than max/

/** Of requests, those that callers send are bounded long before they get here. */
const tooLargeMessage = 'the answer is too large; ask for pages with limit'

const defect = (cause: ErrorOptions) =>
  new AppError('internal', 'internal', 'internal error', cause)
