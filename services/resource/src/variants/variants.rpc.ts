import type { Caller } from '@svc/access'
import type { Database } from '@svc/database'
import { fieldRules } from '@svc/proto/field-rules'
import type { VariantServiceDefinition } from '@svc/proto/resource/v1/variants'
import type { Handlers } from '@svc/rpc'
import { commitChange, commitDeletion } from '../changes/commit.ts'
import { checkRequest } from '../fields.ts'
import { createVariant, deleteVariant, updateVariant } from './variants.changes.ts'
import { checkVariantCreation, checkVariantUpdate } from './variants.ts'

export function variantHandlers(db: Database) {
  return {
    async createVariant(request, context) {
      const variant = checkVariantCreation(request)
      return commitChange(db, variant.namespaceKey, context, (tx, change) =>
        createVariant(tx, change, variant),
      )
    },

    async updateVariant(request, context) {
      const update = checkVariantUpdate(request)
      return commitChange(db, update.namespaceKey, context, (tx, change) =>
        updateVariant(tx, change, update),
      )
    },

    async deleteVariant(request, context) {
      const target = checkRequest(fieldRules.DeleteVariantRequest, request)
      return commitDeletion(db, target.namespaceKey, context, (tx, change) =>
        deleteVariant(tx, change, target),
      )
    },
  } satisfies Handlers<VariantServiceDefinition, Caller>
}
