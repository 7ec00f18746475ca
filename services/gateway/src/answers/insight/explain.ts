import { type Explanation, ExplanationTooLongError, explain } from '@svc/evaluation/explain'
import { invalidArgument } from '@svc/runtime'
import { flagRecordOf } from '../../replica/namespace-state.ts'
import type { Replica } from '../../replica/replica.ts'
import { findNamespace, flagNotFound } from '../evaluation/answers.ts'
import type { EvaluationRequest } from '../evaluation/request.ts'

/** @throws {AppError} `not_found`, or `invalid_argument` for a flag with too much to explain */
export function explainFlag(replica: Replica, request: EvaluationRequest): Explanation {
  const { flagKey, entityId, context } = request
  const view = findNamespace(replica, request.namespaceKey)?.viewOf([flagKey])
  const [flag] = view?.flags ?? []
  if (view === undefined || flag === undefined) throw flagNotFound(request)
  const { namespaceKey, revision, segments } = view
  const record = flagRecordOf(flag)
  try {
    return explain({ namespaceKey, revision, flag: record, segments, entityId, context })
  } catch (error) {
    if (!(error instanceof ExplanationTooLongError)) throw error
    throw invalidArgument(
      `flag "${namespaceKey}/${flagKey}" cannot be explained in 4 MiB: its segments have too many constraints`,
    )
  }
}
