import { breaksOff, floods, redirects, says } from '../support/faults.ts'
import { type Behaviour, otherJwk, signatures } from '../support/mock-provider.ts'

/** What a provider may do wrong, and what the login is answered then. */
export type Cases = Readonly<Record<string, Behaviour>>

const now = () => Math.floor(Date.now() / 1000)

/** Without some claims, or with others. */
const claims = (changes: Readonly<Record<string, unknown>>): Behaviour => ({
  claims: (usual) => ({ ...usual, ...changes }),
})

const header = (
  changes: Readonly<Record<string, unknown>>,
  signature: (input: string) => Buffer = signatures.rs256,
): Behaviour => ({ header: (usual) => ({ ...usual, ...changes }), signature })

const idToken = (change: (token: string) => unknown): Behaviour => ({ idToken: change })

/** One part of a token, which has three. */
const part = (token: string, which: number) => token.split('.')[which] ?? ''

const encode = (text: string) => Buffer.from(text).toString('base64url')

/** Told 401: what the provider says is not to be believed. */
export const idTokens: Cases = {
  'no iss': claims({ iss: undefined }),
  'the iss of another issuer': claims({ iss: 'https://evil.example' }),
  'an iss with a slash more': { claims: (usual) => ({ ...usual, iss: `${usual.iss}/` }) },
  'an iss in capitals': { claims: (usual) => ({ ...usual, iss: String(usual.iss).toUpperCase() }) },
  'an iss that is a list': { claims: (usual) => ({ ...usual, iss: [usual.iss] }) },
  'no aud': claims({ aud: undefined }),
  'the aud of another client': claims({ aud: 'another-client' }),
  'an aud in capitals': claims({ aud: 'FLAGS' }),
  'an empty aud': claims({ aud: '' }),
  'an empty list of aud': claims({ aud: [] }),
  'an aud of others': claims({ aud: ['a', 'b'] }),
  'an aud that is a number': claims({ aud: 1 }),
  'an aud of several without azp': claims({ aud: ['flags', 'another-client'] }),
  'an aud of several and the azp of another': claims({
    aud: ['flags', 'another-client'],
    azp: 'another-client',
  }),
  'the azp of another client': claims({ aud: ['flags', 'b'], azp: 'b' }),
  'no sub': claims({ sub: undefined }),
  'an empty sub': claims({ sub: '' }),
  'a sub that is a number': claims({ sub: 1 }),
  'a sub that is null': claims({ sub: null }),
  'a sub that is too long': claims({ sub: 'a'.repeat(256) }),
  'a sub with a NUL character': claims({ sub: 'ada\0' }),
  'no iat': claims({ iat: undefined }),
  'an iat that is a text': claims({ iat: 'now' }),
  'an iat in the future': { claims: (usual) => ({ ...usual, iat: now() + 3600 }) },
  'no exp': claims({ exp: undefined }),
  'an exp that is over': { claims: (usual) => ({ ...usual, exp: now() - 60 }) },
  'an exp that is a text': claims({ exp: '9999999999' }),
  'an exp that is null': claims({ exp: null }),
  'an nbf in the future': { claims: (usual) => ({ ...usual, nbf: now() + 3600 }) },
  'no nonce': claims({ nonce: undefined }),
  'an empty nonce': claims({ nonce: '' }),
  'the nonce of another login': claims({ nonce: 'a'.repeat(43) }),
  'a nonce that is a number': claims({ nonce: 1 }),
  'claims that are a list': { claims: (usual) => [usual] },
  'claims that are a text': { claims: () => '"ada"' },
  'claims that are null': { claims: () => 'null' },
  'claims that are no JSON': { claims: () => '{"iss":' },
  'no signature, and the header says so': header({ alg: 'none' }, signatures.none),
  'no signature, and the header says so oddly': header({ alg: 'nOnE' }, signatures.none),
  'no signature and no alg': header({ alg: undefined }, signatures.none),
  'no signature, which the header denies': header({}, signatures.none),
  'an alg none with a signature': header({ alg: 'none' }),
  'a signature with the secret of the client': header({ alg: 'HS256' }, signatures.withSecret),
  'a signature with the public key as a secret': header({ alg: 'HS256' }, signatures.withPublicKey),
  'a signature with another key': header({}, signatures.otherKey),
  'a signature with a key that the header brings': header(
    { jwk: otherJwk, kid: undefined },
    signatures.otherKey,
  ),
  'a signature with a key from elsewhere': header(
    { jku: 'https://evil.example/keys', kid: 'elsewhere' },
    signatures.otherKey,
  ),
  'an alg that was not agreed on': header({ alg: 'ES256', kid: 'ec' }, signatures.es256),
  'an alg that is close': header({ alg: 'RS384' }, signatures.rs384),
  'an alg in small letters': header({ alg: 'rs256' }),
  'an alg that is a list': header({ alg: ['RS256'] }),
  'an unknown kid': header({ kid: 'elsewhere' }),
  'a kid that leads to a file': header({ kid: '../../../../dev/null' }, signatures.otherKey),
  'a kid of another kind of key': header({ kid: 'ec' }),
  'a critical extension': header({ crit: ['b64'], b64: false }),
  'a header that is a list': { header: (usual) => [usual] },
  'a header that is no JSON': { header: () => '{' },
  'other claims below the signature': idToken((token) =>
    [part(token, 0), encode('{"sub":"mallory"}'), part(token, 2)].join('.'),
  ),
  'a signature that is cut short': idToken((token) => token.slice(0, -8)),
  'a signature of one byte': idToken((token) => `${part(token, 0)}.${part(token, 1)}.AA`),
  'two parts': idToken((token) => `${part(token, 0)}.${part(token, 1)}`),
  'four parts': idToken((token) => `${token}.AA`),
  'five parts': idToken((token) => `${token}.AA.AA`),
  'an empty token': idToken(() => ''),
  'a token that is no JWT': idToken(() => 'ada'),
  'a token that is an object': idToken(() => ({ sub: 'ada' })),
  'no token': idToken(() => undefined),
}

/** Told 401: the provider confirms no user. */
export const tokenAnswers: Cases = {
  'no access token': { token: (answer) => ({ ...answer, access_token: undefined }) },
  'no type of token': { token: (answer) => ({ ...answer, token_type: undefined }) },
  'a code that is not good': { token: () => says(400, '{"error":"invalid_grant"}') },
  'an error in the place of an answer': { token: () => ({ error: 'access_denied' }) },
  'no JSON': { token: () => 'access_token=a' },
  'a list': { token: (answer) => [answer] },
  nothing: { token: () => '' },
  'userinfo of another person': {
    claims: ({ email: _, ...rest }) => rest,
    userinfo: (info) => ({ ...info, sub: 'mallory' }),
  },
  'userinfo without a subject': {
    claims: ({ email: _, ...rest }) => rest,
    userinfo: (info) => ({ ...info, sub: undefined }),
  },
}

/** Told 503: the provider is in trouble, or this service is not set up as it wants. */
export const troubles: Cases = {
  'does not know this client': { token: () => says(401, '{"error":"invalid_client"}') },
  'lets this client do nothing': { token: () => says(400, '{"error":"unauthorized_client"}') },
  'has an error': { token: () => says(500, '{"error":"server_error"}') },
  'has an error and says so in HTML': {
    token: () => says(502, '<html>', { 'content-type': 'text/html' }),
  },
  'answers in HTML': { token: () => says(200, '<html>', { 'content-type': 'text/html' }) },
  'sends us elsewhere for the token': {
    token: () => redirects('http://169.254.169.254/latest/meta-data'),
  },
  'floods us': { token: () => floods },
  'breaks off': { token: () => breaksOff },
  'has an error at userinfo': {
    claims: ({ email: _, ...rest }) => rest,
    userinfo: () => says(500, '{}'),
  },
  'sends us elsewhere for userinfo': {
    claims: ({ email: _, ...rest }) => rest,
    userinfo: () => redirects('http://127.0.0.1:1/'),
  },
}

/** Told 503 before a login begins: such an issuer cannot be used. */
export const metadata: Cases = {
  'calls itself by another name': {
    metadata: (usual) => ({ ...usual, issuer: 'https://evil.example' }),
  },
  'has a slash more in its name': {
    metadata: (usual) => ({ ...usual, issuer: `${usual.issuer}/` }),
  },
  'has its name in capitals': {
    metadata: (usual) => ({ ...usual, issuer: String(usual.issuer).replace('http', 'HTTP') }),
  },
  'has no name': { metadata: ({ issuer: _, ...rest }) => rest },
  'has a list of names': { metadata: (usual) => ({ ...usual, issuer: [usual.issuer] }) },
  'has nowhere to log in': { metadata: ({ authorization_endpoint: _, ...rest }) => rest },
  'has a script where people log in': {
    metadata: (usual) => ({ ...usual, authorization_endpoint: 'javascript:alert(1)' }),
  },
  'knows only plain PKCE': {
    metadata: (usual) => ({ ...usual, code_challenge_methods_supported: ['plain'] }),
  },
  'knows no PKCE': { metadata: (usual) => ({ ...usual, code_challenge_methods_supported: [] }) },
  'is a list': { metadata: (usual) => [usual] },
  'is no JSON': { metadata: () => '<html>' },
  'has an error': { metadata: () => says(500, '{}') },
  'is not there': { metadata: () => says(404, '{}') },
  'is somewhere else': { metadata: () => redirects('http://169.254.169.254/') },
  'is endless': { metadata: () => floods },
  'is longer than any': { metadata: (usual) => ({ ...usual, more: 'a'.repeat(600_000) }) },
  'breaks off in the middle': { metadata: () => breaksOff },
}

/** Told 401 or 503 when the login ends: the signature cannot be checked. */
export const keys: Cases = {
  'has no keys': { keys: () => ({ keys: [] }) },
  'has keys of other kinds': { keys: ({ keys: [, ec] }) => ({ keys: [ec] }) },
  'has a secret for a key': {
    keys: () => ({ keys: [{ kty: 'oct', kid: 'rsa', alg: 'RS256', k: 'c2VjcmV0' }] }),
  },
  'has keys to encrypt with': {
    keys: ({ keys: [rsa] }) => ({ keys: [{ ...rsa, use: 'enc' }] }),
  },
  'has keys for another alg': {
    keys: ({ keys: [rsa] }) => ({ keys: [{ ...rsa, alg: 'PS256' }] }),
  },
  'has two keys of one name': { keys: ({ keys: [rsa] }) => ({ keys: [rsa, rsa] }) },
  'has keys that are broken': {
    keys: ({ keys: [rsa] }) => ({ keys: [{ ...rsa, n: 'AQAB' }] }),
  },
  'has keys that are no list': { keys: () => ({ keys: {} }) },
  'has keys that are no JSON': { keys: () => '<html>' },
  'has an error for keys': { keys: () => says(500, '{}') },
  'has its keys somewhere else': { keys: () => redirects('http://169.254.169.254/') },
  'has endless keys': { keys: () => floods },
  'has its keys where secrets are': {
    metadata: (usual) => ({ ...usual, jwks_uri: 'https://169.254.169.254/latest/meta-data' }),
  },
  'has its keys in a file': { metadata: (usual) => ({ ...usual, jwks_uri: 'file:///etc/passwd' }) },
  'does not say where its keys are': { metadata: ({ jwks_uri: _, ...rest }) => rest },
  'redeems codes where secrets are': {
    metadata: (usual) => ({ ...usual, token_endpoint: 'https://169.254.169.254/token' }),
  },
  'redeems codes nowhere': { metadata: ({ token_endpoint: _, ...rest }) => rest },
  'redeems codes on another machine by http': {
    metadata: (usual) => ({ ...usual, token_endpoint: 'http://10.0.0.1/token' }),
  },
}
