import type { Database } from '@svc/database'
import { fieldRules } from '@svc/proto/field-rules'
import type { ConstraintServiceDefinition } from '@svc/proto/resource/v1/constraints'
import type { Handlers } from '@svc/rpc'
import { commitChange, commitDeletion } from '../changes/commit.ts'
import { checkRequest } from '../fields.ts'
import { segmentNotFound } from '../segments/segments.ts'
import { explainViolations } from '../violations.ts'
import { deleteConstraint, insertConstraint, updateConstraint } from './constraints.store.ts'
import {
  checkConstraintCreation,
  checkConstraintUpdate,
  constraintNotFound,
} from './constraints.ts'

export function constraintHandlers(db: Database) {
  return {
    async createConstraint(request, caller?) {
      const wanted = checkConstraintCreation(request)
      const { namespaceKey, segmentKey } = wanted
      return commitChange(db, namespaceKey, caller, async (tx, change) => {
        change.grown('segment', segmentKey)
        return explainViolations(insertConstraint(tx, wanted), {
          segment_exists: () => segmentNotFound(namespaceKey, segmentKey),
        })
      })
    },

    async updateConstraint(request, caller?) {
      const update = checkConstraintUpdate(request)
      return commitChange(db, update.namespaceKey, caller, async (tx, change) => {
        const constraint = await updateConstraint(tx, update)
        if (constraint === undefined) throw constraintNotFound(update.id)
        change.grown('segment', update.segmentKey)
        return constraint
      })
    },

    async deleteConstraint(request, caller?) {
      const target = checkRequest(fieldRules.DeleteConstraintRequest, request)
      return commitDeletion(db, target.namespaceKey, caller, async (tx, change) => {
        if (await deleteConstraint(tx, target)) change.changed('segment', target.segmentKey)
      })
    },
  } satisfies Handlers<ConstraintServiceDefinition>
}
