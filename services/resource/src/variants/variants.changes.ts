import type { Queryable } from '@svc/database'
import type {
  CreateVariantRequest,
  DeleteVariantRequest,
  UpdateVariantRequest,
  Variant,
} from '@svc/proto/resource/v1/variants'
import type { ChangeRecorder } from '../changes/recorder.ts'
import { flagNotFound } from '../flags/flags.ts'
import { explainViolations } from '../violations.ts'
import { deleteVariantRow, insertVariantRow, updateVariantRow } from './variants.store.ts'
import { variantNotFound, variantNotUnique } from './variants.ts'

export async function createVariant(
  tx: Queryable,
  change: ChangeRecorder,
  request: CreateVariantRequest,
): Promise<Variant> {
  change.changed('flag', request.flagKey)
  return explainViolations(insertVariantRow(tx, request), {
    flag_exists: () => flagNotFound(request.namespaceKey, request.flagKey),
    variant_is_unique: () => variantNotUnique(request),
  })
}

export async function updateVariant(
  tx: Queryable,
  change: ChangeRecorder,
  request: UpdateVariantRequest,
): Promise<Variant> {
  const variant = await explainViolations(updateVariantRow(tx, request), {
    variant_is_unique: () => variantNotUnique(request),
  })
  if (variant === undefined) throw variantNotFound(request.key || request.id)
  change.changed('flag', request.flagKey)
  return variant
}

export async function deleteVariant(
  tx: Queryable,
  change: ChangeRecorder,
  request: DeleteVariantRequest,
): Promise<void> {
  if (await deleteVariantRow(tx, request)) change.changed('flag', request.flagKey)
}
