import type { Database } from '@svc/database'
import { fieldRules } from '@svc/proto/field-rules'
import type { VariantServiceDefinition } from '@svc/proto/resource/v1/variants'
import type { Handlers } from '@svc/rpc'
import { commitChange, commitDeletion } from '../changes/commit.ts'
import { checkRequest } from '../fields.ts'
import { flagNotFound } from '../flags/flags.ts'
import { explainViolations } from '../violations.ts'
import { deleteVariant, insertVariant, updateVariant } from './variants.store.ts'
import {
  checkVariantCreation,
  checkVariantUpdate,
  variantNotFound,
  variantNotUnique,
} from './variants.ts'

export function variantHandlers(db: Database) {
  return {
    async createVariant(request, caller?) {
      const wanted = checkVariantCreation(request)
      const { namespaceKey, flagKey } = wanted
      return commitChange(db, namespaceKey, caller, async (tx, change) => {
        change.grown('flag', flagKey)
        return explainViolations(insertVariant(tx, wanted), {
          flag_exists: () => flagNotFound(namespaceKey, flagKey),
          variant_is_unique: () => variantNotUnique(wanted),
        })
      })
    },

    async updateVariant(request, caller?) {
      const update = checkVariantUpdate(request)
      return commitChange(db, update.namespaceKey, caller, async (tx, change) => {
        const variant = await explainViolations(updateVariant(tx, update), {
          variant_is_unique: () => variantNotUnique(update),
        })
        if (variant === undefined) throw variantNotFound(update.key || update.id)
        change.grown('flag', update.flagKey)
        return variant
      })
    },

    async deleteVariant(request, caller?) {
      const target = checkRequest(fieldRules.DeleteVariantRequest, request)
      return commitDeletion(db, target.namespaceKey, caller, async (tx, change) => {
        if (await deleteVariant(tx, target)) change.changed('flag', target.flagKey)
      })
    },
  } satisfies Handlers<VariantServiceDefinition>
}
