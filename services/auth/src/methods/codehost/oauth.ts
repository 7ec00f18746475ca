import { isObject } from '@svc/contract'
import { AppError, type Logger, unavailable } from '@svc/runtime'
import * as client from 'openid-client'
import { unauthenticated } from '../../credentials/records/refusals.ts'
import type { Fetch } from '../../outbound/outbound.ts'
import type { Flow } from '../login/flow.ts'
import { type AuthorizationResponse, callbackUrl } from '../login/logins.ts'
import type { CodehostSettings } from './settings.ts'

export interface OauthClient {
  readonly settings: CodehostSettings
  /** The URL to which the code host sends the browser back. */
  readonly redirectUri: string
  readonly fetch: Fetch
  readonly log: Logger
}

/** The URL to which the browser is sent for a login. */
export async function authorizeUrl(oauth: OauthClient, flow: Flow): Promise<string> {
  const url = client.buildAuthorizationUrl(configure(oauth, oauth.fetch), {
    redirect_uri: oauth.redirectUri,
    scope: oauth.settings.scopes.join(' '),
    state: flow.state,
    code_challenge: await client.calculatePKCECodeChallenge(flow.codeVerifier),
    code_challenge_method: 'S256',
  })
  return url.href
}

/** @throws {AppError} `unauthenticated` when the code host refused the login; `unavailable` when it fails */
export async function exchangeCode(
  oauth: OauthClient,
  flow: Flow,
  response: AuthorizationResponse,
  signal: AbortSignal,
): Promise<string> {
  let hasAsked = false
  const config = configure(oauth, async (url, options) => {
    hasAsked = true
    return withErrorStatus(await oauth.fetch(url, { ...options, signal }))
  })
  try {
    const url = callbackUrl(oauth.redirectUri, response)
    const tokens = await client.authorizationCodeGrant(config, url, {
      expectedState: flow.state,
      pkceCodeVerifier: flow.codeVerifier,
    })
    if (tokens.token_type !== 'bearer' || !/^[\x21-\x7e]{1,2048}$/.test(tokens.access_token)) {
      throw new Error('sends no usable access token')
    }
    return tokens.access_token
  } catch (error) {
    const reason = reasonOf(error)
    const isRefusal =
      error instanceof client.ResponseBodyError ||
      error instanceof client.WWWAuthenticateChallengeError
    if (!hasAsked || isRefusal) {
      oauth.log.warn({ reason }, 'the code host refused a login')
      throw unauthenticated('refused_by_provider')
    }
    const cause = error instanceof Error && error.cause instanceof AppError && error.cause.cause
    throw codehostUnavailable(cause || new Error(`/login/oauth/access_token: ${reason}`))
  }
}

/** The caller learns only that it failed; the cause is for the log. */
export function codehostUnavailable(cause: unknown): AppError {
  return unavailable('the code host is unavailable, try again', { cause })
}

function configure({ settings }: OauthClient, fetch: Fetch): client.Configuration {
  const { clientId = '', clientSecret, serverUrl } = settings
  // The `iss` of code hosts.
  const issuer = `${serverUrl.replace(/\/$/, '')}/login/oauth`
  const server = {
    issuer,
    authorization_endpoint: `${issuer}/authorize`,
    token_endpoint: `${issuer}/access_token`,
  }
  const authentication = client.ClientSecretPost(clientSecret?.reveal() ?? '')
  const config = new client.Configuration(server, clientId, undefined, authentication)
  // The check of the settings allows http on loopback only.
  if (issuer.startsWith('http:')) client.allowInsecureRequests(config)
  config[client.customFetch] = (url, { method, headers, body }) =>
    fetch(url, { method, headers, body: body instanceof URLSearchParams ? body : undefined })
  return config
}

/** Some code hosts send errors with status 200, where RFC 6749 requires 400. */
async function withErrorStatus(response: Response): Promise<Response> {
  const body: unknown = await response
    .clone()
    .json()
    .catch(() => undefined)
  if (response.status !== 200 || !isObject(body) || !('error' in body)) return response
  return new Response(await response.text(), { status: 400, headers: response.headers })
}

/** The short reason of RFC 6749: other parts of these errors may be secret. */
function reasonOf(error: unknown): string {
  const isShort =
    error instanceof client.ResponseBodyError || error instanceof client.AuthorizationResponseError
  if (isShort) return error.error.slice(0, 100)
  return error instanceof Error ? error.message : 'unknown'
}
