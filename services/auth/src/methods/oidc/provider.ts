import { AppError } from '@svc/runtime'
import * as client from 'openid-client'
import { unauthenticated } from '../../credentials/records/refusals.ts'
import { openOutbound } from '../../outbound/outbound.ts'
import type { Flow } from '../login/flow.ts'
import { type AuthorizationResponse, callbackUrl } from '../login/logins.ts'
import type { Claims } from './claims.ts'
import { clockToleranceSeconds, discover } from './discovery.ts'
import { reasonOf, unusable } from './failures.ts'
import { type PublishedDocuments, publishedDocuments } from './published-documents.ts'
import type { ProviderSettings } from './settings.ts'

/** How long the metadata of a provider is used, in milliseconds. */
const metadataMs = 600_000
/** Maximum size of an answer: far more than metadata or keys have. */
export const maxBytes = 512 * 1024

/** Where a provider sends browsers back to. */
interface ReturnUris {
  /** After a login. */
  readonly callback: string
  /** After a logout. */
  readonly home: string
}

/** One OpenID provider. Its methods throw errors for {@link toRefusal} and {@link reasonOf}. */
export class Provider {
  readonly name: string
  readonly settings: ProviderSettings
  readonly #uris: ReturnUris
  readonly #nowMs: () => number
  readonly #fetch: client.CustomFetch
  readonly #documents: PublishedDocuments
  #configuration: client.Configuration | undefined
  #refreshAtMs = 0

  /** @param nowMs the clock for its tokens, in milliseconds since 1970 */
  constructor(name: string, settings: ProviderSettings, uris: ReturnUris, nowMs: () => number) {
    this.name = name
    this.settings = settings
    this.#uris = uris
    this.#nowMs = nowMs
    const fetch = openOutbound('oidc', settings, { maxBytes })
    this.#documents = publishedDocuments(fetch)
    // Only published documents are cached; never a response that concerns a person.
    this.#fetch = async (url, { method, headers, body, signal }) => {
      const isPublished = method === 'GET' && !new Headers(headers).has('authorization')
      if (isPublished) return Response.json(await this.#documents(url))
      const form = body instanceof URLSearchParams ? body : undefined
      return fetch(url, { method, headers, body: form, signal })
    }
  }

  get issuer(): string {
    return this.settings.issuerUrl ?? ''
  }

  /** @returns its metadata, cached; the last one while the provider is unavailable */
  async configure(): Promise<client.Configuration> {
    const last = this.#configuration
    if (last !== undefined && performance.now() < this.#refreshAtMs) return last
    try {
      this.#configuration = await discover(this.name, this.settings, this.#fetch, this.#nowMs())
      this.#refreshAtMs = performance.now() + metadataMs
      return this.#configuration
    } catch (error) {
      if (last !== undefined) return last
      throw error instanceof AppError ? error : unusable(this.name, reasonOf(error))
    }
  }

  async authorizeUrl({ codeVerifier, nonce, state }: Flow): Promise<string> {
    const configuration = await this.configure()
    const { authorizeParameters, scopes } = this.settings
    const url = client.buildAuthorizationUrl(configuration, {
      ...authorizeParameters,
      redirect_uri: this.#uris.callback,
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
  async redeem(
    response: AuthorizationResponse,
    flow: Flow,
  ): Promise<{ readonly claims: Claims; readonly idToken: string }> {
    const configuration = await this.configure()
    const url = callbackUrl(this.#uris.callback, response)
    const tokens = await client.authorizationCodeGrant(configuration, url, {
      expectedState: flow.state,
      expectedNonce: flow.nonce,
      pkceCodeVerifier: flow.codeVerifier,
      idTokenExpected: true,
    })
    const claims = tokens.claims()
    // The library requires `iat` and does not check whether it is in the future.
    if (claims === undefined || claims.iat > this.#nowMs() / 1000 + clockToleranceSeconds) {
      throw unauthenticated('invalid_response')
    }
    return {
      claims: await this.#withEmail(configuration, claims, tokens.access_token),
      idToken: tokens.id_token ?? '',
    }
  }

  /** @returns where a browser signs out at the provider, if that is offered */
  async endSessionUrl(idToken?: string): Promise<string | undefined> {
    const configuration = await this.configure()
    if (configuration.serverMetadata().end_session_endpoint === undefined) return undefined
    return client.buildEndSessionUrl(configuration, {
      // Normalized, as 1.1 sends it: providers have it registered to the letter.
      post_logout_redirect_uri: new URL(this.#uris.home).href,
      ...(idToken !== undefined && { id_token_hint: idToken }),
    }).href
  }

  /** Its JWK set. */
  async keys(): Promise<unknown> {
    const { jwks_uri: url } = (await this.configure()).serverMetadata()
    if (url === undefined) throw unusable(this.name, 'publishes no keys')
    return this.#documents(url)
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
}
