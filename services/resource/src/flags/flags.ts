import { fieldRules } from '@svc/proto/field-rules'
import type { CreateFlagRequest, Flag, UpdateFlagRequest } from '@svc/proto/resource/v1/flags'
import { type AppError, alreadyExists, invalidArgument, invalidField, notFound } from '@svc/runtime'
import { checkRequest } from '../fields.ts'

/** What says which flag is meant. */
type FlagName = Pick<Flag, 'namespaceKey' | 'key'>

export function checkFlagCreation(request: CreateFlagRequest): CreateFlagRequest {
  const flag = checkRequest(fieldRules.CreateFlagRequest, request)
  checkMetadata(flag, fieldRules.CreateFlagRequest.metadata.maxBytes)
  return flag
}

export function checkFlagUpdate(request: UpdateFlagRequest): UpdateFlagRequest {
  const flag = checkRequest(fieldRules.UpdateFlagRequest, request)
  checkMetadata(flag, fieldRules.UpdateFlagRequest.metadata.maxBytes)
  return flag
}

function checkMetadata({ metadata }: Pick<Flag, 'metadata'>, maxBytes: number): void {
  if (metadata !== undefined && Buffer.byteLength(toMetadataText(metadata)) > maxBytes) {
    throw invalidField('metadata', `must be at most ${maxBytes} bytes`)
  }
}

/** JSON; the empty object, which is the same as none, as the empty text. */
export function toMetadataText(metadata: NonNullable<Flag['metadata']>): string {
  const text = JSON.stringify(metadata, (_, value: unknown) => {
    // Infinity and NaN can be sent, but JSON cannot say them.
    if (typeof value !== 'number' || Number.isFinite(value)) return value
    throw invalidField('metadata', 'must hold finite numbers only')
  })
  return text === '{}' ? '' : text
}

export function flagNotFound(namespaceKey: string, key: string): AppError {
  return notFound('flag', `flag "${namespaceKey}/${key}" not found`)
}

export function flagNotUnique({ namespaceKey, key }: FlagName): AppError {
  return alreadyExists('flag', `flag "${namespaceKey}/${key}" is not unique`)
}

export function defaultVariantNotFound(update: UpdateFlagRequest): AppError {
  const { namespaceKey, key, defaultVariantId } = update
  return invalidArgument(
    `variant "${defaultVariantId}" not found for flag "${namespaceKey}/${key}"`,
  )
}
