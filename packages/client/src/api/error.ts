/** What went wrong, beyond the message. */
export interface SvcErrorOptions {
  readonly status: number
  readonly code: number
  readonly requestId?: string | undefined
  readonly etag?: string | undefined
  readonly cause?: unknown
}

/**
 * A call that did not do what was asked. Its message is for people, and says what to do.
 *
 * Each entry of the package is one file and so has a class of its own: `instanceof` takes the errors of all of them.
 */
export class SvcError extends Error {
  static override [Symbol.hasInstance](value: unknown): value is SvcError {
    return value instanceof Error && value.name === 'SvcError'
  }

  override readonly name = 'SvcError'
  /** HTTP status; 0 when there was no answer: whether the call was done is then not known. */
  readonly status: number
  /** gRPC code: 3 invalid, 4 timeout, 5 not found, 7 not allowed, 9 precondition, 14 unavailable, …. */
  readonly code: number
  /** Names the request in the logs of the service. */
  readonly requestId: string | undefined
  /** With status 412: the tag that the object has now. */
  readonly etag: string | undefined

  constructor(message: string, { status, code, requestId, etag, cause }: SvcErrorOptions) {
    super(message, { cause })
    this.status = status
    this.code = code
    this.requestId = requestId
    this.etag = etag
  }
}
