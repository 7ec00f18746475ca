import { AppError } from '@svc/runtime'
import * as client from 'openid-client'
import { unauthenticated } from '../../credentials/records/refusals.ts'
import { type Fetch, openOutbound } from '../../outbound/outbound.ts'
import type { Flow, LoginProvider } from '../login/flow.ts'
import type { Claims } from './claims.ts'
import { clientSecretBasic } from './client-authentication.ts'
import { reasonOf, unusable } from './failures.ts'
import { PublishedDocuments } from './published-documents.ts'
import type { ProviderSettings } from './settings.ts'

/** The parameters with which a provider sent the browser back. */
export interface AuthorizationResponse {
  readonly code: string
  readonly state: string
  readonly iss: string | undefined
}

/** The claims of a login and its ID token. */
export interface Redeemed {
  readonly claims: Claims
  readonly idToken: string
}

/** How long the metadata of a provider is used, in milliseconds. */
const metadataMs = 600_000
/** Maximum difference of clocks that is tolerated. */
const clockToleranceSeconds = 30
const timeoutSeconds = 5

/**
 * One OpenID provider. While it is unavailable, only logins there fail.
 *
 * Its methods throw errors for {@link toRefusal} and {@link reasonOf}.
 */
export class Provider {
  readonly identity: LoginProvider
  readonly settings: ProviderSettings
  readonly nowMs: () => number
  readonly #name: string
  readonly #redirectUri: string
  readonly #fetch: Fetch
  readonly #documents: PublishedDocuments
  #configuration: client.Configuration | undefined
  #configuredAtMs = Number.NEGATIVE_INFINITY

  /**
   * @param redirectUri where it sends browsers back to
   * @param nowMs the clock for its tokens, in milliseconds since 1970
   */
  constructor(
    name: string,
    settings: ProviderSettings,
    redirectUri: string,
    nowMs: () => number = Date.now,
  ) {
    this.#name = name
    this.settings = settings
    this.identity = { name: `oidc/${name}`, issuer: settings.issuerUrl ?? '' }
    this.#redirectUri = redirectUri
    this.nowMs = nowMs
    this.#fetch = openOutbound(settings)
    this.#documents = new PublishedDocuments(this.#fetch)
  }

  /** @throws when logins are not possible at present */
  async prepare(): Promise<void> {
    await this.#configure()
  }

  async authorizeUrl({ codeVerifier, nonce, state }: Flow): Promise<string> {
    const configuration = await this.#configure()
    const { authorizeParameters, scopes } = this.settings
    const url = client.buildAuthorizationUrl(configuration, {
      ...authorizeParameters,
      redirect_uri: this.#redirectUri,
      response_type: 'code',
      scope: [...new Set(['openid', ...scopes])].join(' '),
      state,
      nonce,
      code_challenge: await client.calculatePKCECodeChallenge(codeVerifier),
      code_challenge_method: 'S256',
    })
    return url.href
  }

  /** Exchanges the code and checks the ID token. */
  async redeem(response: AuthorizationResponse, flow: Flow): Promise<Redeemed> {
    const configuration = await this.#configure()
    const url = new URL(this.#redirectUri)
    url.searchParams.set('code', response.code)
    url.searchParams.set('state', response.state)
    if (response.iss !== undefined) url.searchParams.set('iss', response.iss)
    // The library leaves an empty one out.
    if (!/^[\w-]{43,128}$/.test(flow.codeVerifier)) throw new Error('the flow has no verifier')
    const tokens = await client.authorizationCodeGrant(configuration, url, {
      expectedState: flow.state,
      expectedNonce: flow.nonce,
      pkceCodeVerifier: flow.codeVerifier,
      idTokenExpected: true,
    })
    const claims = tokens.claims()
    // The library requires `iat` and does not check whether it is in the future.
    if (claims === undefined || claims.iat > this.nowMs() / 1000 + clockToleranceSeconds) {
      throw unauthenticated()
    }
    return {
      claims: await this.#withEmail(configuration, claims, tokens.access_token),
      idToken: tokens.id_token ?? '',
    }
  }

  /**
   * @param idToken of the session that has ended
   * @returns where its browser signs out at the provider, if that is offered
   */
  async endSessionUrl(idToken?: string): Promise<string | undefined> {
    const configuration = await this.#configure()
    if (configuration.serverMetadata().end_session_endpoint === undefined) return undefined
    const home = new URL('/', this.#redirectUri).href
    const parameters = {
      post_logout_redirect_uri: home,
      ...(idToken !== undefined && { id_token_hint: idToken }),
    }
    return client.buildEndSessionUrl(configuration, parameters).href
  }

  /** Its JWK set. */
  async keys(): Promise<unknown> {
    const { jwks_uri: url } = (await this.#configure()).serverMetadata()
    if (url === undefined) throw unusable(this.#name, 'publishes no keys')
    return (await this.#documents.get(url)).json()
  }

  /** Some providers keep the e-mail address out of the ID token. */
  async #withEmail(
    configuration: client.Configuration,
    claims: client.IDToken,
    accessToken: string,
  ): Promise<Claims> {
    const { userinfo_endpoint: endpoint } = configuration.serverMetadata()
    const isMissing = this.settings.scopes.includes('email') && !Object.hasOwn(claims, 'email')
    if (!isMissing || endpoint === undefined) return claims
    const info = await client.fetchUserInfo(configuration, accessToken, claims.sub)
    // `email_verified` comes from the same source as `email`.
    const { email, email_verified } = info
    return { ...info, ...claims, email, email_verified }
  }

  /** Its metadata, cached; the last one is used while the provider is unavailable. */
  async #configure(): Promise<client.Configuration> {
    const isRecent = performance.now() - this.#configuredAtMs < metadataMs
    if (this.#configuration !== undefined && isRecent) return this.#configuration
    try {
      this.#configuration = await this.#discover()
      this.#configuredAtMs = performance.now()
    } catch (error) {
      if (this.#configuration !== undefined) return this.#configuration
      throw error instanceof AppError ? error : unusable(this.#name, reasonOf(error))
    }
    return this.#configuration
  }

  async #discover(): Promise<client.Configuration> {
    const { allowInsecure, clientAuthentication, clientId = '', idTokenAlgorithm } = this.settings
    const secret = this.settings.clientSecret?.reveal() ?? ''
    const configuration = await client.discovery(
      new URL(this.identity.issuer),
      clientId,
      {
        client_secret: secret,
        // Left out, the library accepts any algorithm of the provider's metadata.
        id_token_signed_response_alg: algorithmNamed(idTokenAlgorithm),
        [client.clockTolerance]: clockToleranceSeconds,
        [client.clockSkew]: Math.round((this.nowMs() - Date.now()) / 1000),
      },
      clientAuthentication === 'post' ? client.ClientSecretPost(secret) : clientSecretBasic(secret),
      {
        timeout: timeoutSeconds,
        [client.customFetch]: (url, options) => this.#call(url, options),
        execute: [
          // Without it, the signature of an ID token from the token endpoint is not checked.
          client.enableNonRepudiationChecks,
          ...(allowInsecure ? [client.allowInsecureRequests] : []),
        ],
      },
    )
    this.#check(configuration.serverMetadata())
    return configuration
  }

  /** Caches published documents only; never a response that concerns a person. */
  #call(url: string, { method, headers, body, signal }: client.CustomFetchOptions) {
    const isPublished = method === 'GET' && !new Headers(headers).has('authorization')
    if (isPublished) return this.#documents.get(url)
    return this.#fetch(url, { method, headers, body: toForm(body), signal })
  }

  #check(metadata: client.ServerMetadata): void {
    const { authorization_endpoint: endpoint = '', issuer } = metadata
    // The library compares URLs, with exceptions.
    if (issuer !== this.identity.issuer)
      throw unusable(this.#name, 'calls itself by another issuer')
    const isSecure = endpoint.startsWith(this.settings.allowInsecure ? 'http' : 'https://')
    if (!isSecure) throw unusable(this.#name, 'has nowhere to log in by https')
    const { code_challenge_methods_supported: methods } = metadata
    if (methods !== undefined && !methods.includes('S256')) {
      throw unusable(this.#name, 'does not know PKCE with S256')
    }
  }
}

/** Settings are case-insensitive, JOSE is not. */
export function algorithmNamed(name: string): string {
  return name === 'eddsa' ? 'EdDSA' : name.toUpperCase()
}

function toForm(body: client.FetchBody): URLSearchParams | undefined {
  if (body === null || body === undefined || body instanceof URLSearchParams)
    return body ?? undefined
  throw new Error('only forms are sent to providers')
}
