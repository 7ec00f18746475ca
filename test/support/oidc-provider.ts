import { generateKeyPairSync } from 'node:crypto'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import Provider, { type Configuration } from 'oidc-provider'
import { listen, type Test } from './listen.ts'

export const oidcClient = { id: 'flags', secret: 'the-secret-of-the-oidc-client' }

export interface OidcProvider {
  /** For example `http://127.0.0.1:41234`. */
  readonly issuer: string
  /** The `Authorization` headers that its token endpoint got, the earliest first. */
  readonly authorizations: readonly string[]
}

export interface OidcProviderOptions {
  /** How the service is registered. @default {@link oidcClient} */
  readonly client?: { readonly id: string; readonly secret: string }
  /** Where browsers reach the service. */
  readonly publicUrl: string
  /** The name of this provider in the settings of the service. */
  readonly name: string
  /** What it says of a person, by the name with which they log in. */
  readonly people: Readonly<Record<string, Readonly<Record<string, unknown>>>>
  /** Whether name and e-mail are to be had at its userinfo endpoint only. */
  readonly hasLeanIdTokens?: boolean
  /** Whether people log in with pages and forms; else the `login_hint` is who they are. */
  readonly hasPages?: boolean
  /** Where it reports logouts. @default the service at its public URL */
  readonly backchannelLogoutUri?: string
}

/** A real OpenID provider, on 127.0.0.1. */
export async function startOidcProvider(
  t: Test,
  options: OidcProviderOptions,
): Promise<OidcProvider> {
  const server = createServer()
  const issuer = `http://127.0.0.1:${await listen(t, server)}`
  const provider = new Provider(issuer, configurationFor(options))
  const answer = provider.callback()
  const authorizations: string[] = []
  server.on('request', (request, response) => {
    if (request.url === '/token') authorizations.push(request.headers.authorization ?? '')
    const isInteraction = request.url?.startsWith('/interaction/') === true
    if (isInteraction && options.hasPages !== true) {
      void interact(provider, request, response, Object.keys(options.people))
    } else void answer(request, response)
  })
  return { issuer, authorizations }
}

function configurationFor(options: OidcProviderOptions): Configuration {
  const { publicUrl, name, people, hasLeanIdTokens = false, hasPages = false } = options
  const { id, secret } = options.client ?? oidcClient
  const base = `${publicUrl}/auth/v1/method/oidc/${name}`
  return {
    clients: [
      {
        client_id: id,
        client_secret: secret,
        redirect_uris: [`${base}/callback`],
        post_logout_redirect_uris: [`${publicUrl}/`],
        grant_types: ['authorization_code'],
        response_types: ['code'],
        backchannel_logout_uri: options.backchannelLogoutUri ?? `${base}/backchannel-logout`,
        backchannel_logout_session_required: true,
      },
    ],
    findAccount: (_context, accountId) => ({
      accountId,
      claims: async () => ({ sub: accountId, ...people[accountId] }),
    }),
    claims: {
      openid: ['sub'],
      email: ['email', 'email_verified'],
      profile: ['name', 'picture', 'profile'],
      groups: ['groups'],
    },
    scopes: ['openid', 'email', 'profile', 'groups'],
    conformIdTokenClaims: hasLeanIdTokens,
    pkce: { required: () => true },
    features: {
      devInteractions: { enabled: hasPages },
      rpInitiatedLogout: { enabled: true },
      backchannelLogout: { enabled: true },
    },
    // Without what else is in there, by which it refuses to call this machine.
    fetch: (url, { body = null, headers = {}, method = 'GET' } = {}) =>
      fetch(url, { body, headers, method, signal: AbortSignal.timeout(5000) }),
    jwks: { keys: [signingKey()] },
    cookies: { keys: ['a key for the cookies of tests'] },
    ttl: { AccessToken: 300, Grant: 3600, IdToken: 300, Interaction: 600, Session: 3600 },
  }
}

function signingKey(): Record<string, unknown> {
  const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 })
  return { ...privateKey.export({ format: 'jwk' }), alg: 'RS256', use: 'sig' }
}

/** Lets people in who are known, and agrees to everything for them. */
async function interact(
  provider: Provider,
  request: IncomingMessage,
  response: ServerResponse,
  people: readonly string[],
): Promise<void> {
  const { prompt, params, session, grantId } = await provider.interactionDetails(request, response)
  const accountId = session?.accountId ?? String(params.login_hint)
  if (!people.includes(accountId)) {
    const refusal = { error: 'access_denied', error_description: 'you are unknown here' }
    return provider.interactionFinished(request, response, refusal)
  }
  if (prompt.name === 'login') {
    return provider.interactionFinished(request, response, { login: { accountId } })
  }
  const known = grantId === undefined ? undefined : await provider.Grant.find(grantId)
  const grant = known ?? new provider.Grant({ accountId, clientId: String(params.client_id) })
  grant.addOIDCScope('openid email profile groups')
  const consent = { grantId: await grant.save() }
  return provider.interactionFinished(request, response, { consent })
}
