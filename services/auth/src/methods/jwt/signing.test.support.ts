import {
  constants,
  generateKeyPairSync,
  type JsonWebKey,
  type KeyObject,
  type KeyPairKeyObjectResult,
  sign,
} from 'node:crypto'
import { type Algorithm, algorithms } from '../algorithms.ts'

export const everyAlgorithm = Object.values(algorithms)

/** An issuer of tokens with one key. */
export interface Signer {
  readonly algorithm: Algorithm
  readonly keyId: string
  readonly publicKey: KeyObject
  readonly privateKey: KeyObject
  /** As an issuer publishes it. */
  readonly jwk: JsonWebKey
  sign(input: string | Buffer): Buffer
  /** A token of these parts, well signed whatever they are. Texts are taken as they stand. */
  token(header: unknown, claims: unknown): string
}

interface SignerOptions {
  readonly keyId?: string
  readonly keys?: KeyPairKeyObjectResult
}

/** @param options with `keys` where several have one pair: to make one for RSA takes long */
export function createSigner(algorithm: Algorithm, options: SignerOptions = {}): Signer {
  const { keyId = `key-${algorithm}`, keys = generateKeys(algorithm) } = options
  const { publicKey, privateKey } = keys
  const signBytes = (input: string | Buffer) => signWith(algorithm, privateKey, input)
  return {
    algorithm,
    keyId,
    publicKey,
    privateKey,
    jwk: { ...publicKey.export({ format: 'jwk' }), kid: keyId, alg: algorithm, use: 'sig' },
    sign: signBytes,
    token: (header, claims) => compact(header, claims, signBytes),
  }
}

export function compact(
  header: unknown,
  claims: unknown,
  signBytes: (input: string) => Buffer,
): string {
  const input = `${encode(header)}.${encode(claims)}`
  return `${input}.${encode(signBytes(input))}`
}

/** Bytes and texts as they stand, all else as JSON. */
export function encode(part: unknown): string {
  const content = Buffer.isBuffer(part) || typeof part === 'string' ? part : JSON.stringify(part)
  return Buffer.from(content).toString('base64url')
}

export function generateKeys(algorithm: Algorithm): KeyPairKeyObjectResult {
  const namedCurve = { ES256: 'P-256', ES384: 'P-384', ES512: 'P-521' }[String(algorithm)]
  if (namedCurve !== undefined) return generateKeyPairSync('ec', { namedCurve })
  if (algorithm === 'EdDSA') return generateKeyPairSync('ed25519')
  return generateKeyPairSync('rsa', { modulusLength: 2048 })
}

/** RFC 7518 section 3.3 to 3.5 and RFC 8037 section 3.1. */
function signWith(algorithm: string, key: KeyObject, input: string | Buffer): Buffer {
  const data = Buffer.from(input)
  if (algorithm === 'EdDSA') return sign(null, data, key)
  const hash = `sha${algorithm.slice(2)}`
  if (algorithm.startsWith('ES')) return sign(hash, data, { key, dsaEncoding: 'ieee-p1363' })
  if (algorithm.startsWith('RS')) return sign(hash, data, key)
  const saltLength = constants.RSA_PSS_SALTLEN_DIGEST
  return sign(hash, data, { key, padding: constants.RSA_PKCS1_PSS_PADDING, saltLength })
}
