import type {
  CreateFlagRequest,
  Flag,
  GetFlagRequest,
  UpdateFlagRequest,
} from '@svc/proto/resource/v1/flags'
import { type AppError, alreadyExists, invalidArgument, invalidField, notFound } from '@svc/runtime'
import { checkKey, checkLong, checkPresent, checkShort, inNamespace } from '../fields.ts'

/** What says which flag is meant. */
type FlagName = Pick<GetFlagRequest, 'namespaceKey' | 'key'>

export function checkFlagName<T extends FlagName>(request: T): T {
  const name = inNamespace(request)
  checkKey('key', name.key)
  return name
}

export function checkFlagCreation(request: CreateFlagRequest): CreateFlagRequest {
  const flag = checkFlagName(request)
  checkTexts(flag)
  return flag
}

export function checkFlagUpdate(request: UpdateFlagRequest): UpdateFlagRequest {
  const flag = checkFlagName(request)
  checkTexts(flag)
  checkShort('defaultVariantId', flag.defaultVariantId)
  return flag
}

function checkTexts({ name, description, metadata }: CreateFlagRequest | UpdateFlagRequest): void {
  checkPresent('name', name)
  checkLong('description', description)
  if (metadata !== undefined) checkLong('metadata', toMetadataText(metadata))
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
