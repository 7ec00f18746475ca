/** What has become of an apply that failed. */
export type FailedApply =
  /** Others have changed something since it was planned: nothing was written. */
  | 'stale'
  /** The service, or the package that applies, has said that nothing was written. */
  | 'refused'
  /** The answer did not come: it may be done, or yet be. */
  | 'lost'

/** @param error of `planApply` of `@svc/documents/files`, or of what it applied */
export function readFailure(error: unknown): FailedApply {
  const [status, reason] = [memberOf(error, 'status'), memberOf(error, 'reason')]
  if (status === 412 || reason === 'plan_changed') return 'stale'
  if (typeof status === 'number') return status >= 400 && status < 500 ? 'refused' : 'lost'
  const isApplyError = memberOf(error, 'name') === 'ApplyError'
  return isApplyError && reason !== 'still_applying' ? 'refused' : 'lost'
}

function memberOf(error: unknown, name: string): unknown {
  return error instanceof Error ? Reflect.get(error, name) : undefined
}
