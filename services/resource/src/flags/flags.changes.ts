import type { Queryable } from '@svc/database'
import type {
  CreateFlagRequest,
  DeleteFlagRequest,
  Flag,
  UpdateFlagRequest,
} from '@svc/proto/resource/v1/flags'
import type { ChangeRecorder } from '../changes/recorder.ts'
import { explainViolations } from '../violations.ts'
import { deleteFlagRow, insertFlagRow, updateFlagRow } from './flags.store.ts'
import { defaultVariantNotFound, flagNotFound, flagNotUnique } from './flags.ts'

export async function createFlag(
  tx: Queryable,
  change: ChangeRecorder,
  request: CreateFlagRequest,
): Promise<Flag> {
  change.changed('flag', request.key)
  return explainViolations(insertFlagRow(tx, request), {
    flag_is_unique: () => flagNotUnique(request),
  })
}

export async function updateFlag(
  tx: Queryable,
  change: ChangeRecorder,
  request: UpdateFlagRequest,
): Promise<Flag> {
  const flag = await explainViolations(updateFlagRow(tx, request), {
    default_variant_exists: () => defaultVariantNotFound(request),
  })
  if (flag === undefined) throw flagNotFound(request.namespaceKey, request.key)
  change.changed('flag', request.key)
  return flag
}

export async function deleteFlag(
  tx: Queryable,
  change: ChangeRecorder,
  { namespaceKey, key }: DeleteFlagRequest,
): Promise<void> {
  const bytes = await deleteFlagRow(tx, namespaceKey, key)
  if (bytes !== undefined) change.deleted('flag', key, bytes)
}
