import { AppError, unavailable } from '@svc/runtime'
import * as client from 'openid-client'
import { refusalOf, unauthenticated } from '../../credentials/records/refusals.ts'

// The library's errors hold tokens and parameters, so none is passed on or logged whole.

/** The provider has failed, or its settings here are wrong. */
const faultsOfProvider: ReadonlySet<unknown> = new Set([
  'OAUTH_TIMEOUT',
  'OAUTH_ABORT',
  'OAUTH_HTTP_REQUEST_FORBIDDEN',
  'OAUTH_REQUEST_PROTOCOL_FORBIDDEN',
  'OAUTH_RESPONSE_IS_NOT_CONFORM',
  'OAUTH_RESPONSE_IS_NOT_JSON',
])

/** RFC 6749 5.2: errors of this service's registration, not of a login. */
const faultsOfClient: ReadonlySet<string> = new Set([
  'invalid_client',
  'unauthorized_client',
  'unsupported_grant_type',
])

/** The error for the browser. */
export function toRefusal(error: unknown): AppError {
  const own = ownError(error)
  // Without its cause, which has been logged.
  const refusal = refusalOf(own)
  if (own?.code === 'unauthenticated') return unauthenticated(refusal)
  if (own !== undefined) return new AppError(own.code, own.reason, own.message)
  return isFaultOfProvider(error) ? providerUnavailable() : unauthenticated('invalid_response')
}

/** The reason for the log. */
export function reasonOf(error: unknown): string {
  const own = ownError(error)
  if (own !== undefined) return messagesOf(own)
  if (error instanceof client.ResponseBodyError) return `the provider says ${inShort(error.error)}`
  if (error instanceof client.WWWAuthenticateChallengeError) {
    return `the provider answers ${error.status} (WWWAuthenticateChallengeError)`
  }
  if (error instanceof client.ClientError) return `${error.message} (${error.code})`
  return error instanceof Error ? error.name : 'unknown'
}

/** @param fault follows the provider's name, such as `lacks PKCE` */
export function unusable(provider: string, fault: string): AppError {
  return providerUnavailable(new Error(`the provider ${provider} ${fault}`))
}

export function providerUnavailable(cause?: Error): AppError {
  return unavailable('the login provider cannot be used at the moment, try again', { cause })
}

function isFaultOfProvider(error: unknown): boolean {
  if (error instanceof client.ResponseBodyError) {
    return error.status >= 500 || faultsOfClient.has(error.error)
  }
  if (error instanceof client.WWWAuthenticateChallengeError) return true
  return error instanceof client.ClientError && faultsOfProvider.has(error.code)
}

/** The library wraps what `fetch` throws, which is an error of this service. */
function ownError(error: unknown): AppError | undefined {
  if (error instanceof AppError) return error
  return error instanceof Error ? ownError(error.cause) : undefined
}

function messagesOf({ message, cause }: Error): string {
  return cause instanceof Error ? `${message}: ${messagesOf(cause)}` : message
}

/** A short quotation of a text that a peer sent. */
export function inShort(text: string): string {
  return JSON.stringify(text.slice(0, 64))
}
