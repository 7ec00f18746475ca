import * as client from 'openid-client'
import { algorithms } from '../algorithms.ts'
import { unusable } from './failures.ts'
import type { ProviderSettings } from './settings.ts'

/** Maximum difference of clocks that is tolerated. */
export const clockToleranceSeconds = 30
const timeoutSeconds = 5

/** Reads the metadata of a provider, and checks that logins there are possible. */
export async function discover(
  name: string,
  settings: ProviderSettings,
  fetch: client.CustomFetch,
  nowMs: number,
): Promise<client.Configuration> {
  const { allowInsecure, clientAuthentication, clientId = '', issuerUrl = '' } = settings
  const secret = settings.clientSecret?.reveal() ?? ''
  const configuration = await client.discovery(
    new URL(issuerUrl),
    clientId,
    {
      client_secret: secret,
      // Left out, the library accepts any algorithm of the provider's metadata.
      id_token_signed_response_alg: algorithms[settings.idTokenAlgorithm],
      [client.clockTolerance]: clockToleranceSeconds,
      [client.clockSkew]: Math.round((nowMs - Date.now()) / 1000),
    },
    clientAuthentication === 'post' ? client.ClientSecretPost(secret) : clientSecretBasic(secret),
    {
      timeout: timeoutSeconds,
      [client.customFetch]: fetch,
      execute: [
        // Without it, the signature of an ID token from the token endpoint is not checked.
        client.enableNonRepudiationChecks,
        ...(allowInsecure ? [client.allowInsecureRequests] : []),
      ],
    },
  )
  const metadata = configuration.serverMetadata()
  const { authorization_endpoint: endpoint = '' } = metadata
  const { code_challenge_methods_supported: challenges = ['S256'] } = metadata
  // The library compares URLs, with exceptions.
  if (metadata.issuer !== issuerUrl) throw unusable(name, 'calls itself by another issuer')
  if (!endpoint.startsWith(allowInsecure ? 'http' : 'https://')) {
    throw unusable(name, 'has nowhere to log in by https')
  }
  if (!challenges.includes('S256')) throw unusable(name, 'does not know PKCE with S256')
  return configuration
}

/**
 * `client_secret_basic` of RFC 6749 section 2.3.1. The library's own function escapes `-`, `_`, `.` and
 * `*`, too, unlike the WHATWG's form. Providers that compare the raw text (LemonLDAP::NG) accept
 * this form only.
 */
function clientSecretBasic(secret: string): client.ClientAuth {
  return (_server, { client_id }, _body, headers) => {
    const credentials = [client_id, secret]
      .map((text) => new URLSearchParams({ '': text }).toString().slice(1))
      .join(':')
    headers.set('authorization', `Basic ${Buffer.from(credentials).toString('base64')}`)
  }
}
