import { generateKeyPairSync } from 'node:crypto'
import t from 'tap'
import { readFixture } from '../../fixtures.test.support.ts'
import type { Algorithm } from '../algorithms.ts'
import { createSigner, everyAlgorithm, generateKeys } from './signing.test.support.ts'
import { readKeySet, readPem } from './signing-keys.ts'

const read = (keys: unknown, accepted: readonly Algorithm[] = everyAlgorithm) =>
  readKeySet(JSON.stringify({ keys }), accepted)

const rsa = createSigner('RS256', { keyId: 'rsa' })
const elliptic = createSigner('ES256', { keyId: 'ec' })
const edwards = createSigner('EdDSA', { keyId: 'ed' })

const unusable = readFixture<{
  changed: Record<string, [base: 'rsa' | 'ec', changes: object]>
  values: Record<string, unknown>
  sets: string[]
}>('auth/unusable-keys.yml')

t.test('a key is good for the one algorithm that it says', async (t) => {
  for (const algorithm of everyAlgorithm) {
    const { jwk } = createSigner(algorithm)
    t.match(read([jwk]), [{ algorithm, keyId: jwk.kid }], algorithm)
  }
  t.match(read([{ ...edwards.jwk, alg: 'Ed25519' }]), [{ algorithm: 'EdDSA' }])
})

t.test('one that does not say is good for the first that it could be for', async (t) => {
  const silent = (key: object) => [{ ...key, alg: undefined }]
  t.match(read(silent(rsa.jwk), ['ES256', 'PS384', 'RS256']), [{ algorithm: 'PS384' }])
  t.match(read(silent(elliptic.jwk)), [{ algorithm: 'ES256' }])
  t.match(read(silent(edwards.jwk)), [{ algorithm: 'EdDSA' }])
})

t.test('what is no key for checking signatures is passed over, and the rest is used', async (t) => {
  const weak = generateKeyPairSync('rsa', { modulusLength: 1024 }).publicKey
  const odd = generateKeyPairSync('rsa', { modulusLength: 2048, publicExponent: 3 }).publicKey
  const curve = generateKeyPairSync('ec', { namedCurve: 'secp256k1' }).publicKey
  const bases = { rsa, ec: elliptic }
  const edited = Object.entries(unusable.changed).map(([name, [base, changes]]) => [
    name,
    { ...bases[base].jwk, ...changes },
  ])
  const others: Readonly<Record<string, unknown>> = {
    ...Object.fromEntries(edited),
    ...unusable.values,
    'a private key': rsa.privateKey.export({ format: 'jwk' }),
    'a private key of a curve': elliptic.privateKey.export({ format: 'jwk' }),
    'RSA of 1024 bits': weak.export({ format: 'jwk' }),
    'RSA with the exponent 3': odd.export({ format: 'jwk' }),
    'a curve that is not accepted': { ...curve.export({ format: 'jwk' }), alg: undefined },
    'a point that is not on its curve': { ...elliptic.jwk, y: elliptic.jwk.x },
    'a key for agreeing': generateKeyPairSync('x25519').publicKey.export({ format: 'jwk' }),
    'another Edwards curve': generateKeyPairSync('ed448').publicKey.export({ format: 'jwk' }),
    'numbers with padding': { ...rsa.jwk, n: `${rsa.jwk.n}=` },
    'numbers with a space': { ...elliptic.jwk, x: ` ${elliptic.jwk.x}` },
    'a list': [rsa.jwk],
  }
  for (const [name, other] of Object.entries(others)) {
    t.match(read([other, edwards.jwk]), [{ keyId: 'ed' }], name)
    t.equal(read([other, edwards.jwk]).length, 1, name)
  }
  t.comment(`${Object.keys(others).length} kinds of keys passed over`)
})

t.test('a key for algorithms that are not accepted is passed over', async (t) => {
  t.strictSame(read([rsa.jwk, elliptic.jwk], ['EdDSA']), [])
})

t.test('what is no set of keys is refused whole', async (t) => {
  const large = JSON.stringify({ keys: Array.from({ length: 101 }, () => edwards.jwk) })
  for (const set of [...unusable.sets, large])
    t.throws(() => readKeySet(set, everyAlgorithm), set.slice(0, 30))
  t.strictSame(readKeySet('{"keys":[]}', everyAlgorithm), [])
})

t.test('a public key is read from PEM, for the first algorithm that it could be for', async (t) => {
  const pem = (signer: { publicKey: typeof rsa.publicKey }) =>
    signer.publicKey.export({ type: 'spki', format: 'pem' }).toString()
  t.match(readPem(pem(rsa), ['ES256', 'RS512', 'RS256']), { algorithm: 'RS512', keyId: undefined })
  t.match(readPem(`# of the pipeline\n${pem(elliptic)}`, everyAlgorithm), { algorithm: 'ES256' })
  t.match(readPem(pem(edwards), everyAlgorithm), { algorithm: 'EdDSA' })
})

t.test('a file without a usable key is refused with what is wrong', async (t) => {
  const { publicKey, privateKey } = generateKeys('ES256')
  const pem = publicKey.export({ type: 'spki', format: 'pem' }).toString()
  const weak = generateKeyPairSync('rsa', { modulusLength: 1024 }).publicKey
  const cases: readonly (readonly [text: string, wrong: RegExp])[] = [
    ['', /no public key/],
    ['{"kty":"EC"}', /no public key/],
    [privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(), /a private key/],
    [privateKey.export({ type: 'sec1', format: 'pem' }).toString(), /a private key/],
    [pem + pem, /more than one key/],
    [pem.replace(/[A-Za-z]{8}/g, 'AAAAAAAA'), /cannot be read|no public key/],
    [weak.export({ type: 'spki', format: 'pem' }).toString(), /too weak/],
    [weak.export({ type: 'pkcs1', format: 'pem' }).toString(), /no public key/],
  ]
  for (const [text, wrong] of cases) t.match(readPem(text, everyAlgorithm), wrong)
  t.match(readPem(pem, ['RS256']), /none of the accepted algorithms/)
})
