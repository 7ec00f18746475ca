import type { Caller } from '@svc/access'
import type { Database } from '@svc/database'
import { fieldRules } from '@svc/proto/field-rules'
import type { Variant, VariantServiceDefinition } from '@svc/proto/resource/v1/variants'
import type { Handlers } from '@svc/rpc'
import { alreadyExists } from '@svc/runtime'
import { changeHandler, deletionHandler } from '../changes/handlers.ts'
import { flagOf } from '../changes/record-of.ts'
import { useCasesOf } from '../changes/use-cases.ts'
import { recordNotFound } from '../records/errors.ts'
import { type RowOf, withInstants } from '../records/instants.ts'
import { Table } from '../records/table.ts'
import { toAttachment } from './attachments.ts'

export const variants = new Table<RowOf<Variant>, Variant>({
  kind: 'variant',
  key: ['namespaceKey', 'flagKey', 'id'],
  fields: ['key', 'name', 'description', 'attachment'],
  toMessage: withInstants,
})

export const variantUseCases = useCasesOf<VariantServiceDefinition>(variants, {
  recordOf: flagOf,
  // An update with an empty key leaves the key as it is.
  toValues: (variant) => ({ ...variant, key: variant.key || undefined }),
  violations: ({ namespaceKey, flagKey, ...variant }) => ({
    flag_exists: () => recordNotFound('flag', namespaceKey, flagKey),
    variant_is_unique: () => {
      const [key, flag] = ['key' in variant ? variant.key : '', `${namespaceKey}/${flagKey}`]
      return alreadyExists('variant', `variant "${key}" is not unique for flag "${flag}"`)
    },
  }),
  notFound: ({ key, id }) => recordNotFound('variant', key || id),
})

function withAttachment<T extends { readonly attachment: string }>(variant: T): T {
  return { ...variant, attachment: toAttachment(variant.attachment) }
}

export function variantHandlers(db: Database) {
  const { create, update, remove } = variantUseCases
  return {
    createVariant: changeHandler(
      db,
      fieldRules.CreateVariantRequest,
      flagOf,
      create,
      withAttachment,
    ),
    updateVariant: changeHandler(
      db,
      fieldRules.UpdateVariantRequest,
      flagOf,
      update,
      withAttachment,
    ),
    deleteVariant: deletionHandler(db, fieldRules.DeleteVariantRequest, flagOf, remove),
  } satisfies Handlers<VariantServiceDefinition, Caller>
}
