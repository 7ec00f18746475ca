import { generateKeyPairSync } from 'node:crypto'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { type JWTPayload, SignJWT } from 'jose'
import { listen, type Test } from './listen.ts'

/** Makes tokens and publishes the key that they are checked with. */
export interface JwtIssuer {
  readonly issuer: string
  /** How often its keys were asked for. */
  readonly asked: number
  /** How it answers that; at first with its key. */
  answer: (response: ServerResponse, request: IncomingMessage) => void
  /** A token of these claims, for five minutes and for `flags` unless they say otherwise. */
  sign(claims?: JWTPayload): Promise<string>
  /** The settings of its section, as environment variables. */
  readonly env: Readonly<Record<string, string>>
}

/** @param name that of its section in the settings */
export async function startJwtIssuer(t: Test, name: string): Promise<JwtIssuer> {
  const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  const jwk = { ...publicKey.export({ format: 'jwk' }), kid: 'one', alg: 'ES256' }
  const issuer = `https://${name}.example`
  const state = {
    asked: 0,
    answer: (response: ServerResponse, _request: IncomingMessage) =>
      void response.end(JSON.stringify({ keys: [jwk] })),
  }
  const server = createServer((request, response) => {
    state.asked += 1
    state.answer(response, request)
  })
  const port = await listen(t, server)
  const section = `SVC_AUTHENTICATION_METHODS_JWT_ISSUERS_${name.toUpperCase()}`
  return Object.assign(state, {
    issuer,
    env: {
      SVC_AUTHENTICATION_METHODS_JWT_ENABLED: 'true',
      [`${section}_ISSUER`]: issuer,
      [`${section}_AUDIENCES`]: 'flags',
      [`${section}_JWKS_URL`]: `http://127.0.0.1:${port}/keys`,
      [`${section}_ALLOW_INSECURE`]: 'true',
    },
    sign: (claims: JWTPayload = {}) =>
      new SignJWT({ iss: issuer, aud: 'flags', sub: 'deployments', ...claims })
        .setProtectedHeader({ alg: 'ES256', kid: 'one' })
        .setIssuedAt()
        .setExpirationTime(claims.exp ?? '5m')
        .sign(privateKey),
  })
}
