import type { Caller } from '@svc/access'
import type { Database } from '@svc/database'
import { fieldRules } from '@svc/proto/field-rules'
import type { ConstraintServiceDefinition } from '@svc/proto/resource/v1/constraints'
import type { Handlers } from '@svc/rpc'
import { commitChange, commitDeletion } from '../changes/commit.ts'
import { checkRequest } from '../fields.ts'
import { createConstraint, deleteConstraint, updateConstraint } from './constraints.changes.ts'
import { checkConstraintCreation, checkConstraintUpdate } from './constraints.ts'

export function constraintHandlers(db: Database) {
  return {
    async createConstraint(request, context) {
      const constraint = checkConstraintCreation(request)
      return commitChange(db, constraint.namespaceKey, context, (tx, change) =>
        createConstraint(tx, change, constraint),
      )
    },

    async updateConstraint(request, context) {
      const update = checkConstraintUpdate(request)
      return commitChange(db, update.namespaceKey, context, (tx, change) =>
        updateConstraint(tx, change, update),
      )
    },

    async deleteConstraint(request, context) {
      const target = checkRequest(fieldRules.DeleteConstraintRequest, request)
      return commitDeletion(db, target.namespaceKey, context, (tx, change) =>
        deleteConstraint(tx, change, target),
      )
    },
  } satisfies Handlers<ConstraintServiceDefinition, Caller>
}
