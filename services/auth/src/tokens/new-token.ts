import { isDeepStrictEqual } from 'node:util'
import type { Instant } from '@svc/database'
import type { CreateTokenRequest } from '@svc/proto/auth/v1/tokens'
import { invalidField, invalidKey, isAddressRange, keyPattern, maxKeyLength } from '@svc/runtime'
import { reservedPrefix, tokenMetadata } from './metadata.ts'

// Generous for what people write there. All of it travels with each lookup and lies in caches,
// fifty thousand times.
const maxNameLength = 255
const maxDescriptionLength = 4096
const maxMetadataEntries = 64
const maxMetadataBytes = 8192
const maxAllowedAddresses = 64

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
  if (name.trim() === '') throw invalidField('name', 'must not be empty')
  checkText('name', name, maxNameLength)
  checkText('description', description, maxDescriptionLength)
  const expiresAt = oneOf('expiresAt', request.expiresAt, 'expiration', request.expiration)
  if (expiresAt !== undefined) checkInstant('expiresAt', expiresAt)
  const namespaceKey =
    oneOf(
      'namespaceKey',
      request.namespaceKey || undefined,
      'namespace',
      request.namespace || undefined,
    ) ?? ''
  if (namespaceKey !== '') checkNamespaceKey(namespaceKey)
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

function checkText(field: string, text: string, maxLength: number): void {
  if (text.includes('\0')) throw invalidField(field, 'must not contain NUL characters')
  if (text.length > maxLength && [...text].length > maxLength) {
    throw invalidField(field, `must be at most ${maxLength} characters`)
  }
}

function checkNamespaceKey(namespaceKey: string): void {
  if (!keyPattern.test(namespaceKey)) throw invalidKey('namespaceKey')
  if (namespaceKey.length > maxKeyLength) {
    throw invalidField('namespaceKey', `must be at most ${maxKeyLength} characters`)
  }
}

function checkMetadata(metadata: Readonly<Record<string, string>>): void {
  const entries = Object.entries(metadata)
  if (entries.some(([key]) => key.toLowerCase().startsWith(reservedPrefix))) {
    throw invalidField('metadata', `keys that begin with ${reservedPrefix} are reserved`)
  }
  if (entries.flat().some((text) => text.includes('\0'))) {
    throw invalidField('metadata', 'must not contain NUL characters')
  }
  if (entries.length > maxMetadataEntries) {
    throw invalidField('metadata', `must have at most ${maxMetadataEntries} entries`)
  }
  if (Buffer.byteLength(entries.flat().join('')) > maxMetadataBytes) {
    throw invalidField('metadata', `must be at most ${maxMetadataBytes} bytes`)
  }
}

function checkAddresses(allowedAddresses: readonly string[]): void {
  if (!allowedAddresses.every(isAddressRange)) {
    const rule = 'must hold IP addresses, or ranges of them such as 10.0.0.0/8'
    throw invalidField('allowedAddresses', rule)
  }
  if (allowedAddresses.length > maxAllowedAddresses) {
    throw invalidField('allowedAddresses', `must have at most ${maxAllowedAddresses} entries`)
  }
}
