import { isDeepStrictEqual } from 'node:util'
import { isAddressRange } from '@svc/access'
import { checkFields } from '@svc/contract'
import type { Instant } from '@svc/database'
import type { CreateTokenRequest } from '@svc/proto/auth/v1/tokens'
import { fieldRules } from '@svc/proto/field-rules'
import { invalidField } from '@svc/runtime'
import { checkInstant } from '../../credentials/records/instants.ts'
import { reservedPrefix, tokenKeys } from '../../credentials/records/token.ts'

/** A token as a caller asked for it. */
export interface NewToken {
  readonly metadata: Record<string, string>
  readonly namespaceKey: string
  readonly expiresAt: Instant | undefined
  readonly allowedAddresses: readonly string[]
}

/**
 * Checks a request and merges its two spellings of fields.
 *
 * @throws {AppError} `invalid_argument`
 */
export function parseNewToken(request: CreateTokenRequest): NewToken {
  const { name, description, metadata, allowedAddresses } = request
  checkFields(fieldRules.CreateTokenRequest, request)
  checkText('name', name)
  checkText('description', description)
  const expiresAt = oneOf('expiresAt', request.expiresAt, 'expiration', request.expiration)
  if (expiresAt !== undefined) checkInstant('expiresAt', expiresAt)
  const [key, alias] = [request.namespaceKey || undefined, request.namespace || undefined]
  const namespaceKey = oneOf('namespaceKey', key, 'namespace', alias) ?? ''
  checkMetadata(metadata)
  if (!allowedAddresses.every(isAddressRange)) {
    const rule = 'must hold IP addresses, or ranges of them such as 10.0.0.0/8'
    throw invalidField('allowedAddresses', rule)
  }
  const facts = { name, description, namespaceKey }
  return { expiresAt, namespaceKey, allowedAddresses, metadata: tokenMetadata(facts, metadata) }
}

/** The metadata of a static token: what the caller gave, and what this service adds. */
export function tokenMetadata(
  { name, description, namespaceKey }: Record<'name' | 'description' | 'namespaceKey', string>,
  given: Readonly<Record<string, string>> = {},
): Record<string, string> {
  return {
    ...given,
    [tokenKeys.name]: name,
    ...(description !== '' && { [tokenKeys.description]: description }),
    ...(namespaceKey !== '' && { [tokenKeys.namespace]: namespaceKey }),
  }
}

/** Two spellings of one field: different values are refused, neither is dropped. */
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
  checkText('metadata', entries.flat().join(''))
  const { maxBytes } = fieldRules.CreateTokenRequest.metadata
  if (Buffer.byteLength(entries.flat().join('')) > maxBytes) {
    throw invalidField('metadata', `must be at most ${maxBytes} bytes`)
  }
}
