import { createHmac } from 'node:crypto'
import { goodClaims } from './jwt.test.support.ts'
import { compact, everyAlgorithm } from './signing.test.support.ts'
import { type Forge, header, type Vector, withHeaders } from './vectors.test.support.ts'

/** Tokens that are refused for what their header says. */
export function badHeaders(forge: Forge): readonly Vector[] {
  return [
    ...unsigned(forge),
    ...signedWithPublicKey(forge),
    ...wrongAlgorithms(forge),
    ...withOwnKeys(forge),
    ...wrongKeyIds(forge),
    ...withHeaders(forge, {
      'crit with b64': { crit: ['b64'], b64: true },
      'crit with a claim': { crit: ['exp'], exp: 1 },
      'crit that is empty': { crit: [] },
      'crit with what nobody knows': { crit: ['x-unknown'], 'x-unknown': true },
      'crit that is null': { crit: null },
      'crit that is a text': { crit: 'b64' },
      'b64 false': { b64: false },
      'b64 true': { b64: true },
      'b64 null': { b64: null },
      'the type of logout tokens': { typ: 'logout+jwt' },
      'the type of DPoP proofs': { typ: 'dpop+jwt' },
      'the type of security events': { typ: 'secevent+jwt' },
      'the type of client assertions': { typ: 'client-authentication+jwt' },
      'the type of introspection answers': { typ: 'token-introspection+jwt' },
      'the type of JWS': { typ: 'JOSE' },
      'an empty type': { typ: '' },
      'a type with a space': { typ: 'JWT ' },
      'a type that is a number': { typ: 5 },
      'a type that is null': { typ: null },
      'a type that is a list': { typ: ['JWT'] },
      'a token inside': { cty: 'JWT' },
      compression: { zip: 'DEF' },
      encryption: { enc: 'A128GCM' },
      'encryption by its algorithm': { alg: 'RSA-OAEP', enc: 'A128GCM' },
    }),
  ]
}

/** Tokens whose header says more than it has to, and that are good all the same. */
export function goodHeaders(forge: Forge): readonly Vector[] {
  const { stranger } = forge
  return withHeaders(forge, {
    'no more than it has to': {},
    'the type JWT': { typ: 'JWT' },
    'the type in small letters': { typ: 'jwt' },
    'the type of access tokens': { typ: 'at+jwt' },
    'the type of access tokens, whole': { typ: 'application/AT+JWT' },
    'what nobody knows': { 'x-unknown': { any: ['thing'] } },
    // Whatever it brings along, what counts is the key that is known.
    'a key of its own': { jwk: stranger.jwk },
    'an address for keys': { jku: 'https://attacker.example/keys' },
    'an address for certificates': { x5u: 'https://attacker.example/cert' },
    certificates: { x5c: ['MIIB'] },
  })
}

function unsigned(forge: Forge): readonly Vector[] {
  const { signer } = forge
  const spellings = ['none', 'None', 'NONE', 'nOnE', 'none ', '']
  return spellings.flatMap((alg): Vector[] => [
    [`unsigned as "${alg}"`, compact(header(forge, { alg }), goodClaims, () => Buffer.alloc(0))],
    [`"${alg}" with a signature`, signer.token(header(forge, { alg }), goodClaims)],
    [
      `"${alg}" with anything for a signature`,
      compact(header(forge, { alg }), goodClaims, () => Buffer.from('anything')),
    ],
  ])
}

/** What everybody may know, taken for a secret that two share (RFC 8725 section 2.1). */
function signedWithPublicKey(forge: Forge): readonly Vector[] {
  const { publicKey, jwk } = forge.signer
  const pem = publicKey.export({ type: 'spki', format: 'pem' }).toString()
  const secrets: Readonly<Record<string, string | Buffer>> = {
    'the key in PEM': pem,
    'the key in PEM, without a line end': pem.trim(),
    'the key in DER': publicKey.export({ type: 'spki', format: 'der' }),
    'the key as JWK': JSON.stringify(jwk),
    'the number of the key': Buffer.from(String(jwk.n ?? jwk.x), 'base64url'),
    'the id of the key': forge.signer.keyId,
    nothing: '',
  }
  return Object.entries(secrets).flatMap(([name, secret]) =>
    ['256', '384', '512'].map((bits): Vector => {
      const mac = (input: string) => createHmac(`sha${bits}`, secret).update(input).digest()
      return [
        `HS${bits} with ${name}`,
        compact(header(forge, { alg: `HS${bits}` }), goodClaims, mac),
      ]
    }),
  )
}

function wrongAlgorithms(forge: Forge): readonly Vector[] {
  const { signer, other } = forge
  const { algorithm } = signer
  const others = everyAlgorithm.filter((name) => name !== algorithm)
  const names = [...others, 'RS1', 'ES256K', 'Ed448', 'RSA1_5', 'dir', 'A128KW']
  const odd: readonly unknown[] = [
    algorithm.toLowerCase() === algorithm ? algorithm.toUpperCase() : algorithm.toLowerCase(),
    `${algorithm} `,
    ` ${algorithm}`,
    `${algorithm}\0`,
    algorithm.replace('S', 'Ѕ').replace('E', 'Е'),
    [algorithm],
    { name: algorithm },
    256,
    true,
    null,
    undefined,
    '__proto__',
    'constructor',
    'toString',
  ]
  return [
    ...[...names, ...odd].map(
      (alg): Vector => [
        `its key, said to be for ${JSON.stringify(alg)}`,
        signer.token(header(forge, { alg }), goodClaims),
      ],
    ),
    ['the key of another algorithm, under its name', other.token(header(forge), goodClaims)],
    [
      'the key of another algorithm, under that name and this id',
      other.token(header(forge, { alg: other.algorithm }), goodClaims),
    ],
  ]
}

/** RFC 8725 section 3.10: a key proves nothing that comes with what it signed. */
function withOwnKeys(forge: Forge): readonly Vector[] {
  const { stranger } = forge
  const chain = [stranger.publicKey.export({ type: 'spki', format: 'der' }).toString('base64')]
  const kinds: Readonly<Record<string, object>> = {
    'no key': {},
    'its key': { jwk: stranger.jwk },
    'its key, under the known id': { jwk: { ...stranger.jwk, kid: forge.signer.keyId } },
    'its key and no id': { jwk: stranger.jwk, kid: undefined },
    'an address for keys': { jku: 'https://attacker.example/keys' },
    'an address for keys on this machine': { jku: 'http://127.0.0.1:1/keys' },
    'an address for certificates': { x5u: 'https://attacker.example/cert' },
    certificates: { x5c: chain },
    'the digest of a certificate': { x5t: 'AAAA', 'x5t#S256': 'AAAA' },
    'all of them': { jwk: stranger.jwk, jku: 'https://attacker.example/keys', x5c: chain },
    'an id of its own': { kid: stranger.keyId },
  }
  return Object.entries(kinds).map(([name, change]) => [
    `signed by a stranger with ${name}`,
    stranger.token(header(forge, change), goodClaims),
  ])
}

function wrongKeyIds(forge: Forge): readonly Vector[] {
  const { keyId } = forge.signer
  const ids: Readonly<Record<string, unknown>> = {
    unknown: 'unknown',
    empty: '',
    'of another key': forge.other.keyId,
    'that is a path': '../../../../dev/null',
    'that is an address': 'https://attacker.example/key.pem',
    'that is SQL': "x' UNION SELECT 'AA' --",
    'that is a command': '| /usr/bin/true',
    'of every object': '__proto__',
    'of a constructor': 'constructor',
    'with a space': `${keyId} `,
    'with a zero': `${keyId}\0`,
    'in other letters': keyId.toUpperCase(),
    'that looks the same': keyId.replace('k', 'κ').replace('e', 'е'),
    'that is long': 'k'.repeat(5000),
    'that is a number': 0,
    'that is null': null,
    'that is true': true,
    'that is a list': [keyId],
    'that is an object': { kid: keyId },
  }
  return withHeaders(
    forge,
    Object.fromEntries(Object.entries(ids).map(([name, kid]) => [`an id ${name}`, { kid }])),
  )
}

/** Good tokens with one byte of their header written otherwise. */
export function respelledHeaders(forge: Forge): readonly Vector[] {
  const { signer } = forge
  const text = JSON.stringify(header(forge))
  const spellings: Readonly<Record<string, string | Buffer>> = {
    'a name twice': text.replace('{', `{"alg":"${signer.algorithm}",`),
    'a name twice, once escaped': text.replace('{', `{"\\u0061lg":"none",`),
    'an id twice': text.replace('{', '{"kid":"unknown",'),
    'more after it': `${text}{}`,
    'a mark before it': `\ufeff${text}`,
    'a comma too many': text.replace('}', ',}'),
    'a comment': text.replace('{', '{/**/'),
    'single quotes': text.replaceAll('"', "'"),
    'two bytes a character': Buffer.from(text, 'utf16le'),
    'what is not UTF-8': Buffer.concat([
      Buffer.from('{"x":"\xff",', 'latin1'),
      Buffer.from(text.slice(1)),
    ]),
    'a list': `[${text}]`,
    'a text': JSON.stringify(text),
    'no members': '{}',
    null: 'null',
    nothing: '',
  }
  return Object.entries(spellings).map(([name, spelling]) => [
    `header: ${name}`,
    signer.token(spelling, goodClaims),
  ])
}
