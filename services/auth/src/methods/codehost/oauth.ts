import type { CodehostCallbackRequest } from '@svc/proto/auth/v1/codehost'
import { AppError, type Logger, unavailable } from '@svc/runtime'
import * as client from 'openid-client'
import { unauthenticated } from '../../credentials/records/refusals.ts'
import type { Fetch } from '../../outbound/outbound.ts'
import type { Flow } from '../login/flow.ts'

export interface OauthClient {
  /** `{server}/login/oauth`: the `iss` of code hosts. */
  readonly issuer: string
  readonly clientId: string
  readonly clientSecret: string
  readonly scopes: readonly string[]
  /** The URL to which the code host sends the browser back. */
  readonly redirectUri: string
  readonly fetch: Fetch
  readonly log: Logger
}

/** The parameters of the callback; empty where one is missing. */
export type LoginAnswer = Pick<CodehostCallbackRequest, 'code' | 'state' | 'iss' | 'error'>

/** The URL to which the browser is sent for a login. */
export async function authorizeUrl(oauth: OauthClient, flow: Flow): Promise<string> {
  const url = client.buildAuthorizationUrl(configure(oauth, oauth.fetch), {
    redirect_uri: oauth.redirectUri,
    scope: oauth.scopes.join(' '),
    state: flow.state,
    code_challenge: await client.calculatePKCECodeChallenge(flow.codeVerifier),
    code_challenge_method: 'S256',
  })
  return url.href
}

/**
 * Exchanges the code of the callback for an access token.
 *
 * @throws {AppError} `unauthenticated` when the code host refused the login; `unavailable` when it fails
 */
export async function exchangeCode(
  oauth: OauthClient,
  flow: Flow,
  answer: LoginAnswer,
  signal: AbortSignal,
): Promise<string> {
  let hasAsked = false
  const config = configure(oauth, async (url, options) => {
    hasAsked = true
    return withErrorStatus(await oauth.fetch(url, { ...options, signal }))
  })
  try {
    const tokens = await client.authorizationCodeGrant(config, toUrl(oauth.redirectUri, answer), {
      expectedState: flow.state,
      pkceCodeVerifier: flow.codeVerifier,
    })
    if (tokens.token_type !== 'bearer' || !/^[\x21-\x7e]{1,2048}$/.test(tokens.access_token)) {
      throw new Error('sends no usable access token')
    }
    return tokens.access_token
  } catch (error) {
    const reason = reasonOf(error)
    if (!hasAsked || isRefusal(error)) {
      oauth.log.warn({ reason }, 'the code host refused a login')
      throw unauthenticated()
    }
    const cause = error instanceof Error && error.cause instanceof AppError && error.cause.cause
    throw unavailable('the code host is unavailable, try again', {
      cause: cause || new Error(`${oauth.issuer}/access_token: ${reason}`),
    })
  }
}

function configure(oauth: OauthClient, fetch: Fetch): client.Configuration {
  const { issuer, clientId, clientSecret } = oauth
  const server = {
    issuer,
    authorization_endpoint: `${issuer}/authorize`,
    token_endpoint: `${issuer}/access_token`,
  }
  const authentication = client.ClientSecretPost(clientSecret)
  const config = new client.Configuration(server, clientId, undefined, authentication)
  // The check of the settings allows http on loopback only.
  if (issuer.startsWith('http:')) client.allowInsecureRequests(config)
  config[client.customFetch] = (url, { method, headers, body }) =>
    fetch(url, { method, headers, body: body instanceof URLSearchParams ? body : undefined })
  return config
}

/** The callback as one to the configured address: the host of the request is not trusted. */
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

/** The short reason of RFC 6749: other parts of these errors may be secret. */
function reasonOf(error: unknown): string {
  if (error instanceof client.ResponseBodyError) return shorten(error.error)
  if (error instanceof client.AuthorizationResponseError) return shorten(error.error)
  return error instanceof Error ? error.message : 'unknown'
}

function shorten(text: string): string {
  return text.slice(0, 100)
}
