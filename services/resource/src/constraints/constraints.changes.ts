import type {
  Constraint,
  CreateConstraintRequest,
  DeleteConstraintRequest,
  UpdateConstraintRequest,
} from '@svc/proto/resource/v1/constraints'
import type { UseCase } from '../changes/recorder.ts'
import { segmentNotFound } from '../segments/segments.ts'
import { explainViolations } from '../violations.ts'
import {
  deleteConstraintRow,
  insertConstraintRow,
  updateConstraintRow,
} from './constraints.store.ts'
import { constraintNotFound } from './constraints.ts'

export const createConstraint: UseCase<CreateConstraintRequest, Constraint> = async (
  tx,
  change,
  request,
) => {
  change.changed('segment', request.segmentKey)
  return explainViolations(insertConstraintRow(tx, request), {
    segment_exists: () => segmentNotFound(request.namespaceKey, request.segmentKey),
  })
}

export const updateConstraint: UseCase<UpdateConstraintRequest, Constraint> = async (
  tx,
  change,
  request,
) => {
  const constraint = await updateConstraintRow(tx, request)
  if (constraint === undefined) throw constraintNotFound(request.id)
  change.changed('segment', request.segmentKey)
  return constraint
}

export const deleteConstraint: UseCase<DeleteConstraintRequest, void> = async (
  tx,
  change,
  request,
) => {
  if (await deleteConstraintRow(tx, request)) change.changed('segment', request.segmentKey)
}
