import type { Queryable } from '@svc/database'
import type {
  Constraint,
  CreateConstraintRequest,
  DeleteConstraintRequest,
  UpdateConstraintRequest,
} from '@svc/proto/resource/v1/constraints'
import type { ChangeRecorder } from '../changes/recorder.ts'
import { segmentNotFound } from '../segments/segments.ts'
import { explainViolations } from '../violations.ts'
import {
  deleteConstraintRow,
  insertConstraintRow,
  updateConstraintRow,
} from './constraints.store.ts'
import { constraintNotFound } from './constraints.ts'

export async function createConstraint(
  tx: Queryable,
  change: ChangeRecorder,
  request: CreateConstraintRequest,
): Promise<Constraint> {
  change.changed('segment', request.segmentKey)
  return explainViolations(insertConstraintRow(tx, request), {
    segment_exists: () => segmentNotFound(request.namespaceKey, request.segmentKey),
  })
}

export async function updateConstraint(
  tx: Queryable,
  change: ChangeRecorder,
  request: UpdateConstraintRequest,
): Promise<Constraint> {
  const constraint = await updateConstraintRow(tx, request)
  if (constraint === undefined) throw constraintNotFound(request.id)
  change.changed('segment', request.segmentKey)
  return constraint
}

export async function deleteConstraint(
  tx: Queryable,
  change: ChangeRecorder,
  request: DeleteConstraintRequest,
): Promise<void> {
  if (await deleteConstraintRow(tx, request)) change.changed('segment', request.segmentKey)
}
