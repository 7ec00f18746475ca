import { createHash, createHmac, generateKeyPairSync, type KeyObject, sign } from 'node:crypto'
import {
  createServer,
  type IncomingMessage,
  type RequestListener,
  type ServerResponse,
} from 'node:http'
import { createServer as createSecureServer } from 'node:https'
import { text } from 'node:stream/consumers'
import type { KeyPair } from './certificates.ts'
import type { ServerFault } from './faults.ts'
import { listen, type Test } from './listen.ts'
import { oidcClient } from './oidc-provider.ts'

type Json = Readonly<Record<string, unknown>>

/** Makes something else of what is usually sent: JSON, a text, or an {@link ServerFault} of its own. */
type Change<T> = (usual: T) => unknown

/** How an issuer goes about things, where that is not as it should be. */
export interface Behaviour {
  readonly metadata?: Change<Json>
  readonly keys?: Change<{ keys: Json[] }>
  readonly claims?: Change<Json>
  readonly header?: Change<Json>
  /** Makes a signature over the first two parts, instead of a good one. */
  readonly signature?: (input: string) => Buffer
  readonly idToken?: Change<string>
  /** What the token endpoint says. */
  readonly token?: Change<Json>
  readonly userinfo?: Change<Json>
}

/** A user about to come back from a login. */
interface Login {
  readonly behaviour: Behaviour
  readonly parameters: URLSearchParams
}

const { privateKey, publicKey } = generateKeyPairSync('rsa', { modulusLength: 2048 })
const other = generateKeyPairSync('rsa', { modulusLength: 2048 })
const elliptic = generateKeyPairSync('ec', { namedCurve: 'P-256' })

const jwkOf = (key: KeyObject, kid: string, alg: string): Json => ({
  ...key.export({ format: 'jwk' }),
  ...{ kid, alg, use: 'sig' },
})

const keySet = () => ({
  keys: [jwkOf(publicKey, 'rsa', 'RS256'), jwkOf(elliptic.publicKey, 'ec', 'ES256')],
})

/** Ways to sign, good ones and others. */
export const signatures = {
  rs256: (input: string) => sign('sha256', Buffer.from(input), privateKey),
  rs384: (input: string) => sign('sha384', Buffer.from(input), privateKey),
  otherKey: (input: string) => sign('sha256', Buffer.from(input), other.privateKey),
  es256: (input: string) =>
    sign('sha256', Buffer.from(input), {
      key: elliptic.privateKey,
      dsaEncoding: 'ieee-p1363',
    }),
  withSecret: (input: string) => createHmac('sha256', oidcClient.secret).update(input).digest(),
  withPublicKey: (input: string) =>
    createHmac('sha256', publicKey.export({ type: 'spki', format: 'pem' }))
      .update(input)
      .digest(),
  none: () => Buffer.alloc(0),
}

/** The key of {@link signatures.otherKey}, for headers that bring their own. */
export const otherJwk = jwkOf(other.publicKey, 'rsa', 'RS256')

/** Issuers that the test controls, on one port; each is a path. */
export interface MockProvider {
  readonly origin: string
  /** How many requests came to an endpoint of an issuer, for example `good/token`. */
  count(endpoint: string): number
  /** The issuer with this name. */
  issuer(name: string): string
  /** Has an issuer go about its own business in its own way from now on. */
  setBehaviour(name: string, behaviour: Behaviour): void
  /** Logs a user in. @returns where the browser is sent back to */
  answer(authorizeUrl: URL, behaviour?: Behaviour): URL
}

/** @param tls what it serves https with; http when left out */
export async function startMockProvider(t: Test, tls?: KeyPair): Promise<MockProvider> {
  const behaviours = new Map<string, Behaviour>()
  const logins = new Map<string, Login>()
  const counts = new Map<string, number>()
  const answer: RequestListener = (request, response) => {
    const [, name = '', ...rest] = (request.url ?? '').split('/')
    const endpoint = rest.join('/')
    const key = `${name}/${endpoint.split('?')[0]}`
    counts.set(key, (counts.get(key) ?? 0) + 1)
    const issuer = `${origin}/${name}`
    const own = behaviours.get(name) ?? {}
    if (endpoint === '.well-known/openid-configuration') {
      send(request, response, metadataOf(issuer), own.metadata)
    } else if (endpoint === 'keys') send(request, response, keySet(), own.keys)
    else if (endpoint === 'token') void redeem(request, response, issuer, logins)
    else if (endpoint === 'userinfo') {
      const login = logins.get((request.headers.authorization ?? '').replace('Bearer ', ''))
      send(request, response, { ...person, sub: 'ada' }, login?.behaviour.userinfo)
    } else response.writeHead(404).end()
  }
  const server = tls === undefined ? createServer(answer) : createSecureServer(tls, answer)
  const scheme = tls === undefined ? 'http' : 'https'
  const origin = `${scheme}://127.0.0.1:${await listen(t, server)}`
  let issued = 0
  return {
    origin,
    count: (endpoint) => counts.get(endpoint) ?? 0,
    issuer: (name) => `${origin}/${name}`,
    setBehaviour: (name, behaviour) => void behaviours.set(name, behaviour),
    answer(authorizeUrl, behaviour = {}) {
      const parameters = authorizeUrl.searchParams
      issued += 1
      const code = `code-${issued}`
      logins.set(code, { behaviour, parameters })
      const back = new URL(parameters.get('redirect_uri') ?? '')
      back.searchParams.set('code', code)
      back.searchParams.set('state', parameters.get('state') ?? '')
      back.searchParams.set('iss', authorizeUrl.href.replace(/\/authorize\?.*$/, ''))
      return back
    },
  }
}

const person = { email: 'ada@example.com', email_verified: true, name: 'Ada' }

function metadataOf(issuer: string): Json {
  return {
    issuer,
    authorization_endpoint: `${issuer}/authorize`,
    token_endpoint: `${issuer}/token`,
    userinfo_endpoint: `${issuer}/userinfo`,
    jwks_uri: `${issuer}/keys`,
    code_challenge_methods_supported: ['S256'],
    authorization_response_iss_parameter_supported: true,
    id_token_signing_alg_values_supported: ['RS256', 'ES256', 'HS256', 'none'],
  }
}

async function redeem(
  request: IncomingMessage,
  response: ServerResponse,
  issuer: string,
  logins: Map<string, Login>,
): Promise<void> {
  const form = new URLSearchParams(await text(request))
  const code = form.get('code') ?? ''
  const login = logins.get(code)
  const verifier = createHash('sha256').update(form.get('code_verifier') ?? '')
  const isGood =
    isClient(request.headers.authorization ?? '') &&
    form.get('redirect_uri') === login?.parameters.get('redirect_uri') &&
    verifier.digest('base64url') === login?.parameters.get('code_challenge')
  if (login === undefined || !isGood) {
    response.writeHead(400, { 'content-type': 'application/json' })
    return void response.end('{"error":"invalid_grant"}')
  }
  const { behaviour, parameters } = login
  // The access token is the code: the request that has it is of the user that logged in.
  const answer = { access_token: code, token_type: 'Bearer', expires_in: 60 }
  const id_token = idTokenOf(issuer, parameters.get('nonce') ?? '', behaviour)
  send(request, response, { ...answer, id_token }, behaviour.token)
}

/** RFC 6749 2.3.1 */
function isClient(authorization: string): boolean {
  const [, encoded = ''] = /^Basic (.*)$/.exec(authorization) ?? []
  const [id, secret] = Buffer.from(encoded, 'base64').toString().split(':').map(decodeURIComponent)
  return id === oidcClient.id && secret === oidcClient.secret
}

function idTokenOf(issuer: string, nonce: string, behaviour: Behaviour): unknown {
  const now = Math.floor(Date.now() / 1000)
  const usual = {
    ...{ iss: issuer, aud: oidcClient.id, sub: 'ada', iat: now, exp: now + 60, nonce },
    ...person,
  }
  const header = { alg: 'RS256', kid: 'rsa', typ: 'JWT' }
  const claims = behaviour.claims === undefined ? usual : behaviour.claims(usual)
  const input = [behaviour.header?.(header) ?? header, claims].map(encode).join('.')
  const signature = (behaviour.signature ?? signatures.rs256)(input)
  const token = `${input}.${signature.toString('base64url')}`
  return behaviour.idToken === undefined ? token : behaviour.idToken(token)
}

/** Texts as they stand, all else as JSON. */
function encode(part: unknown): string {
  const content = typeof part === 'string' ? part : JSON.stringify(part)
  return Buffer.from(content).toString('base64url')
}

function send<T>(
  request: IncomingMessage,
  response: ServerResponse,
  usual: T,
  change: Change<T> = (usual) => usual,
): void {
  const answer = change(usual)
  if (typeof answer === 'function') {
    answer(request, response)
    return
  }
  const body = typeof answer === 'string' ? answer : JSON.stringify(answer)
  response.writeHead(200, { 'content-type': 'application/json' }).end(body)
}
