import type {
  CreateFlagRequest,
  DeleteFlagRequest,
  Flag,
  UpdateFlagRequest,
} from '@svc/proto/resource/v1/flags'
import type { UseCase } from '../changes/recorder.ts'
import { explainViolations } from '../violations.ts'
import { deleteFlagRow, insertFlagRow, updateFlagRow } from './flags.store.ts'
import { defaultVariantNotFound, flagNotFound, flagNotUnique } from './flags.ts'

export const createFlag: UseCase<CreateFlagRequest, Flag> = async (tx, change, request) => {
  change.changed('flag', request.key)
  return explainViolations(insertFlagRow(tx, request), {
    flag_is_unique: () => flagNotUnique(request),
  })
}

export const updateFlag: UseCase<UpdateFlagRequest, Flag> = async (tx, change, request) => {
  const flag = await explainViolations(updateFlagRow(tx, request), {
    default_variant_exists: () => defaultVariantNotFound(request),
  })
  if (flag === undefined) throw flagNotFound(request.namespaceKey, request.key)
  change.changed('flag', request.key)
  return flag
}

export const deleteFlag: UseCase<DeleteFlagRequest, void> = async (
  tx,
  change,
  { namespaceKey, key },
) => {
  const bytes = await deleteFlagRow(tx, namespaceKey, key)
  if (bytes !== undefined) change.deleted('flag', key, bytes)
}
