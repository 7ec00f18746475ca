import type {
  CreateVariantRequest,
  DeleteVariantRequest,
  UpdateVariantRequest,
  Variant,
} from '@svc/proto/resource/v1/variants'
import type { UseCase } from '../changes/recorder.ts'
import { flagNotFound } from '../flags/flags.ts'
import { explainViolations } from '../violations.ts'
import { deleteVariantRow, insertVariantRow, updateVariantRow } from './variants.store.ts'
import { variantNotFound, variantNotUnique } from './variants.ts'

export const createVariant: UseCase<CreateVariantRequest, Variant> = async (
  tx,
  change,
  request,
) => {
  change.changed('flag', request.flagKey)
  return explainViolations(insertVariantRow(tx, request), {
    flag_exists: () => flagNotFound(request.namespaceKey, request.flagKey),
    variant_is_unique: () => variantNotUnique(request),
  })
}

export const updateVariant: UseCase<UpdateVariantRequest, Variant> = async (
  tx,
  change,
  request,
) => {
  const variant = await explainViolations(updateVariantRow(tx, request), {
    variant_is_unique: () => variantNotUnique(request),
  })
  if (variant === undefined) throw variantNotFound(request.key || request.id)
  change.changed('flag', request.flagKey)
  return variant
}

export const deleteVariant: UseCase<DeleteVariantRequest, void> = async (tx, change, request) => {
  if (await deleteVariantRow(tx, request)) change.changed('flag', request.flagKey)
}
