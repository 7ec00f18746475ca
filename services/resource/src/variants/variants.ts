import type {
  CreateVariantRequest,
  DeleteVariantRequest,
  UpdateVariantRequest,
} from '@svc/proto/resource/v1/variants'
import { type AppError, alreadyExists, notFound } from '@svc/runtime'
import { checkKey, checkLong, checkPresent, checkShort, inNamespace } from '../fields.ts'
import { toAttachment } from './attachments.ts'

export function checkVariantCreation(request: CreateVariantRequest): CreateVariantRequest {
  const variant = inNamespace(request)
  checkKey('flagKey', variant.flagKey)
  // No pattern: it is a value that applications read, not a name in a URL.
  checkPresent('key', variant.key)
  return checkRest(variant)
}

export function checkVariantUpdate(request: UpdateVariantRequest): UpdateVariantRequest {
  const variant = inNamespace(request)
  checkPresent('id', variant.id)
  checkKey('flagKey', variant.flagKey)
  checkShort('key', variant.key)
  return checkRest(variant)
}

export function checkVariantDeletion(request: DeleteVariantRequest): DeleteVariantRequest {
  const variant = inNamespace(request)
  checkPresent('id', variant.id)
  checkKey('flagKey', variant.flagKey)
  return variant
}

function checkRest<T extends CreateVariantRequest | UpdateVariantRequest>(variant: T): T {
  checkShort('name', variant.name)
  checkLong('description', variant.description)
  return { ...variant, attachment: toAttachment(variant.attachment) }
}

export function variantNotUnique(
  variant: Pick<CreateVariantRequest, 'namespaceKey' | 'flagKey' | 'key'>,
): AppError {
  const flag = `${variant.namespaceKey}/${variant.flagKey}`
  return alreadyExists('variant', `variant "${variant.key}" is not unique for flag "${flag}"`)
}

/** @param name the key that was asked for, or else the id */
export function variantNotFound(name: string): AppError {
  return notFound('variant', `variant "${name}" not found`)
}
