import { fieldRules } from '@svc/proto/field-rules'
import type { CreateVariantRequest, UpdateVariantRequest } from '@svc/proto/resource/v1/variants'
import { type AppError, alreadyExists, notFound } from '@svc/runtime'
import { checkRequest } from '../fields.ts'
import { toAttachment } from './attachments.ts'

export function checkVariantCreation(request: CreateVariantRequest): CreateVariantRequest {
  const variant = checkRequest(fieldRules.CreateVariantRequest, request)
  return { ...variant, attachment: toAttachment(variant.attachment) }
}

export function checkVariantUpdate(request: UpdateVariantRequest): UpdateVariantRequest {
  const variant = checkRequest(fieldRules.UpdateVariantRequest, request)
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
