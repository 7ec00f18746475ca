import type { Caller } from '@svc/access'
import type { Database } from '@svc/database'
import { fieldRules } from '@svc/proto/field-rules'
import type { Constraint, ConstraintServiceDefinition } from '@svc/proto/resource/v1/constraints'
import type { Handlers } from '@svc/rpc'
import { changeHandler, deletionHandler } from '../changes/handlers.ts'
import { segmentOf } from '../changes/record-of.ts'
import { useCasesOf } from '../changes/use-cases.ts'
import { recordNotFound } from '../records/errors.ts'
import { type RowOf, withInstants } from '../records/instants.ts'
import { Table } from '../records/table.ts'
import { toStoredComparison } from './comparisons.ts'

export const constraints = new Table<RowOf<Constraint>, Constraint>({
  kind: 'constraint',
  key: ['namespaceKey', 'segmentKey', 'id'],
  fields: ['type', 'property', 'operator', 'value', 'description'],
  toMessage: withInstants,
})

const { create, update, remove } = useCasesOf<ConstraintServiceDefinition>(constraints, {
  recordOf: segmentOf,
  violations: ({ namespaceKey, segmentKey }) => ({
    segment_exists: () => recordNotFound('segment', namespaceKey, segmentKey),
  }),
  notFound: ({ id }) => recordNotFound('constraint', id),
})

export function constraintHandlers(db: Database) {
  const { CreateConstraintRequest, UpdateConstraintRequest, DeleteConstraintRequest } = fieldRules
  return {
    createConstraint: changeHandler(
      db,
      CreateConstraintRequest,
      segmentOf,
      create,
      toStoredComparison,
    ),
    updateConstraint: changeHandler(
      db,
      UpdateConstraintRequest,
      segmentOf,
      update,
      toStoredComparison,
    ),
    deleteConstraint: deletionHandler(db, DeleteConstraintRequest, segmentOf, remove),
  } satisfies Handlers<ConstraintServiceDefinition, Caller>
}
