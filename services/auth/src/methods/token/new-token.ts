import { isDeepStrictEqual } from 'node:util'
import { isAddressRange } from '@svc/access'
import { checkFields } from '@svc/contract'
import type { Instant } from '@svc/database'
import type { CreateTokenRequest } from '@svc/proto/auth/v1/tokens'
import { fieldRules } from '@svc/proto/field-rules'
import { invalidField } from '@svc/runtime'
import { reservedPrefix, tokenMetadata } from '../../credentials/records/metadata.ts'

export interface TokenWish {
  readonly metadata: Record<string, string>
  readonly namespaceKey: string
  readonly expiresAt: Instant | undefined
  readonly allowedAddresses: readonly string[]
}

/**
 * What the caller asks for, with its two spellings of fields made one.
 *
 * @throws {AppError} `invalid_argument`
 */
export function toTokenWish(request: CreateTokenRequest): TokenWish {
  const { name, description, metadata, allowedAddresses } = request
  checkFields(fieldRules.CreateTokenRequest, request)
  checkText('name', name)
  checkText('description', description)
  const expiresAt = oneOf('expiresAt', request.expiresAt, 'expiration', request.expiration)
  if (expiresAt !== undefined) checkInstant('expiresAt', expiresAt)
  const namespaceKey =
    oneOf(
      'namespaceKey',
      request.namespaceKey || undefined,
      'namespace',
      request.namespace || undefined,
    ) ?? ''
  checkMetadata(metadata)
  checkAddresses(allowedAddresses)
  const facts = { name, description, namespaceKey }
  return { expiresAt, namespaceKey, allowedAddresses, metadata: tokenMetadata(facts, metadata) }
}

/** @throws {AppError} when it is none that the interface can express: the years 1 to 9999 */
export function checkInstant(field: string, { seconds, nanos }: Instant): void {
  const isExpressible = seconds >= -62_135_596_800 && seconds <= 253_402_300_799
  if (!isExpressible || nanos < 0 || nanos > 999_999_999) {
    throw invalidField(field, 'must be a time from the year 1 to 9999')
  }
}

/** Two spellings of one field: a client that knows one of them must not be misunderstood. */
function oneOf<T>(field: string, value: T | undefined, alias: string, other: T | undefined) {
  if (value !== undefined && other !== undefined && !isDeepStrictEqual(value, other)) {
    throw invalidField(alias, `must be the same as ${field} when both are given`)
  }
  return value ?? other
}

function checkText(field: string, text: string): void {
  if (text.includes('\0')) throw invalidField(field, 'must not contain NUL characters')
}

function checkMetadata(metadata: Readonly<Record<string, string>>): void {
  const entries = Object.entries(metadata)
  if (entries.some(([key]) => key.toLowerCase().startsWith(reservedPrefix))) {
    throw invalidField('metadata', `keys that begin with ${reservedPrefix} are reserved`)
  }
  if (entries.flat().some((text) => text.includes('\0'))) {
    throw invalidField('metadata', 'must not contain NUL characters')
  }
  const { maxBytes } = fieldRules.CreateTokenRequest.metadata
  if (Buffer.byteLength(entries.flat().join('')) > maxBytes) {
    throw invalidField('metadata', `must be at most ${maxBytes} bytes`)
  }
}

function checkAddresses(allowedAddresses: readonly string[]): void {
  if (!allowedAddresses.every(isAddressRange)) {
    const rule = 'must hold IP addresses, or ranges of them such as 10.0.0.0/8'
    throw invalidField('allowedAddresses', rule)
  }
}
