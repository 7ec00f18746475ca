import type { CodehostCallbackRequest } from '@svc/proto/auth/v1/codehost'
import { AppError, type Logger, unavailable } from '@svc/runtime'
import * as client from 'openid-client'
import { unauthenticated } from '../../credentials/records/refusals.ts'
import type { Fetch } from '../../outbound/outbound.ts'
import type { Flow } from '../login/flow.ts'

export interface OauthParts {
  /** `{server}/login/oauth`, as code hosts name themselves in their answers. */
  readonly issuer: string
  readonly clientId: string
  readonly clientSecret: string
  readonly scopes: readonly string[]
  /** Where the code host sends the browser back to. */
  readonly redirectUri: string
  readonly fetch: Fetch
  readonly log: Logger
}

/** What the browser brings back; empty where there was nothing. */
export type LoginAnswer = Pick<CodehostCallbackRequest, 'code' | 'state' | 'iss' | 'error'>

/** Where the browser has to go for a login. */
export async function authorizeUrl(parts: OauthParts, flow: Flow): Promise<string> {
  const url = client.buildAuthorizationUrl(configure(parts, parts.fetch), {
    redirect_uri: parts.redirectUri,
    scope: parts.scopes.join(' '),
    state: flow.state,
    code_challenge: await client.calculatePKCECodeChallenge(flow.codeVerifier),
    code_challenge_method: 'S256',
  })
  return url.href
}

/**
 * Gets an access token for the code that the browser has brought back.
 *
 * @throws {AppError} `unauthenticated` when there is no login in it; `unavailable` when the code host
 *   does not answer, or not as it should
 */
export async function exchangeCode(
  parts: OauthParts,
  flow: Flow,
  answer: LoginAnswer,
  signal: AbortSignal,
): Promise<string> {
  let hasAsked = false
  const config = configure(parts, async (url, options) => {
    hasAsked = true
    return withErrorStatus(await parts.fetch(url, { ...options, signal }))
  })
  try {
    const tokens = await client.authorizationCodeGrant(config, toUrl(parts.redirectUri, answer), {
      expectedState: flow.state,
      pkceCodeVerifier: flow.codeVerifier,
    })
    if (tokens.token_type !== 'bearer' || !/^[\x21-\x7e]{1,2048}$/.test(tokens.access_token)) {
      throw new Error('gives no access token that can be used')
    }
    return tokens.access_token
  } catch (error) {
    const reason = reasonOf(error)
    if (!hasAsked || isRefusal(error)) {
      parts.log.warn({ reason }, 'the code host did not log somebody in')
      throw unauthenticated()
    }
    const cause = error instanceof Error && error.cause instanceof AppError && error.cause.cause
    throw unavailable('the code host is unavailable, try again', {
      cause: cause || new Error(`${parts.issuer}/access_token: ${reason}`),
    })
  }
}

function configure(parts: OauthParts, fetch: Fetch): client.Configuration {
  const { issuer, clientId, clientSecret } = parts
  const server = {
    issuer,
    authorization_endpoint: `${issuer}/authorize`,
    token_endpoint: `${issuer}/access_token`,
  }
  const authentication = client.ClientSecretPost(clientSecret)
  const config = new client.Configuration(server, clientId, undefined, authentication)
  // The settings have seen to it that this is a machine that talks to itself.
  if (issuer.startsWith('http:')) client.allowInsecureRequests(config)
  config[client.customFetch] = (url, { method, headers, body }) =>
    fetch(url, { method, headers, body: body instanceof URLSearchParams ? body : undefined })
  return config
}

/** The answer as one to the configured address: what the request says of its host counts nothing. */
function toUrl(redirectUri: string, answer: LoginAnswer): URL {
  const url = new URL(redirectUri)
  const { code, state, iss, error } = answer
  for (const [name, value] of Object.entries({ code, state, iss, error })) {
    if (value !== '') url.searchParams.set(name, value)
  }
  return url
}

/** Some code hosts send errors with status 200, where RFC 6749 wants 400. */
async function withErrorStatus(response: Response): Promise<Response> {
  if (response.status !== 200) return response
  const text = await response.text()
  return new Response(text, { status: isErrorBody(text) ? 400 : 200, headers: response.headers })
}

function isErrorBody(text: string): boolean {
  try {
    const body: unknown = JSON.parse(text)
    return typeof body === 'object' && body !== null && 'error' in body
  } catch {
    return false
  }
}

function isRefusal(error: unknown): boolean {
  return (
    error instanceof client.ResponseBodyError ||
    error instanceof client.WWWAuthenticateChallengeError
  )
}

/** In short and in words of RFC 6749: what else is in these errors may be secret. */
function reasonOf(error: unknown): string {
  if (error instanceof client.ResponseBodyError) return shorten(error.error)
  if (error instanceof client.AuthorizationResponseError) return shorten(error.error)
  return error instanceof Error ? error.message : 'unknown'
}

function shorten(text: string): string {
  return text.slice(0, 100)
}
