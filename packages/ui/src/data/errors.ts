import { SvcError } from '@svc/client/api'

/** What kind of failure it is, for what a page says and offers. */
export type FailureKind =
  | 'unreachable'
  | 'signed-out'
  | 'forbidden'
  | 'missing'
  | 'conflict'
  | 'invalid'
  | 'busy'
  | 'server'
  | 'page'

export interface Failure {
  readonly kind: FailureKind
  /** Of the service: for people, and it says what to do. */
  readonly message: string
  readonly requestId: string | undefined
}

const kinds: ReadonlyMap<number, FailureKind> = new Map([
  [0, 'unreachable'],
  [400, 'invalid'],
  [401, 'signed-out'],
  [403, 'forbidden'],
  [404, 'missing'],
  [409, 'conflict'],
  [412, 'conflict'],
  [413, 'invalid'],
  [429, 'busy'],
  [502, 'unreachable'],
  [503, 'unreachable'],
  [504, 'unreachable'],
])

/** What went wrong: in the service, on the way, or in the page itself. */
export function failureOf(error: unknown): Failure {
  if (error instanceof SvcError) {
    const { status, message, requestId } = error
    return { kind: kinds.get(status) ?? (status < 500 ? 'invalid' : 'server'), message, requestId }
  }
  const message = error instanceof Error ? error.message : String(error)
  return { kind: 'page', message, requestId: undefined }
}

export function messageOf(error: unknown): string {
  return failureOf(error).message
}

/** Whether the object has changed since it was read. */
export function isConflict(error: unknown): boolean {
  return error instanceof SvcError && error.status === 412
}

/** Whether the service has said that it did not do it. */
export function isRefused(error: unknown): boolean {
  return error instanceof SvcError && error.status >= 400 && error.status < 500
}

/** Whether it is not known what has become of a write: its answer did not come, here or further on. */
export function isUnsettled(error: unknown): boolean {
  return failureOf(error).kind === 'unreachable'
}
