import { createPublicKey, type KeyObject } from 'node:crypto'
import { isObject, type JsonObject } from '@svc/contract'
import { type Algorithm, toAlgorithm } from '../algorithms.ts'

/** A public key and the one algorithm that it is good for (RFC 8725 section 3.1). */
export interface SigningKey {
  readonly key: KeyObject
  readonly algorithm: Algorithm
  /** The `kid` of headers. */
  readonly keyId: string | undefined
}

/** The key that a header names. */
export type WantedKey = Omit<SigningKey, 'key'>

/** Where the keys of an issuer come from. */
export interface KeySource {
  /**
   * @returns `undefined` when no key fits, or more than one
   * @throws {AppError} `unavailable` when the keys are unavailable
   */
  find(wanted: WantedKey): Promise<KeyObject | undefined>
}

/** RFC 7518 section 3.4. */
const curves: ReadonlyMap<string | undefined, { algorithm: Algorithm; signatureBytes: number }> =
  new Map([
    ['prime256v1', { algorithm: 'ES256', signatureBytes: 64 }],
    ['secp384r1', { algorithm: 'ES384', signatureBytes: 96 }],
    ['secp521r1', { algorithm: 'ES512', signatureBytes: 132 }],
  ])

/**
 * The exact length of a key's signatures (RFC 8017 section 8.1.2, RFC 7518 section 3.4, RFC 8032). OpenSSL
 * accepts some without their leading zeros.
 */
export function signatureBytes({ asymmetricKeyType, asymmetricKeyDetails }: KeyObject): number {
  const { modulusLength = 0, namedCurve } = asymmetricKeyDetails ?? {}
  if (asymmetricKeyType === 'rsa') return Math.ceil(modulusLength / 8)
  return curves.get(namedCurve)?.signatureBytes ?? 64
}

/** Sizes of RSA keys: the minimum of NIST SP 800-57 part 1 section 5.6.1; above 8192 a check is slow. */
const rsaBits = { least: 2048, most: 8192 }

/** Maximum keys of a set. */
const maxKeys = 100

/**
 * Reads a JWK set (RFC 7517). Keys that are not for signatures, or too weak, are skipped: issuers publish
 * keys for other uses too.
 *
 * @param accepted the algorithms; a key that does not say which one it is for, and could be for
 *   several of them, is for the first
 * @throws {Error} when it is not one
 */
export function readKeySet(json: string, accepted: readonly Algorithm[]): SigningKey[] {
  const set: unknown = JSON.parse(json)
  const keys = isObject(set) ? set.keys : undefined
  if (!Array.isArray(keys)) throw new Error('the answer is not a JWK set')
  if (keys.length > maxKeys) throw new Error(`the JWK set has more than ${maxKeys} keys`)
  return keys.map((jwk) => readKey(jwk, accepted)).filter((key) => key !== undefined)
}

/**
 * Reads a public key or a certificate in PEM. Of a certificate only the key counts.
 *
 * @param accepted as for {@link readKeySet}
 * @returns the fault as the end of a sentence about the file, when there is no such key
 */
export function readPem(pem: string, accepted: readonly Algorithm[]): SigningKey | string {
  const [label, ...others] = [...pem.matchAll(/^-----BEGIN ([A-Z0-9 ]+)-----/gm)].map(([, l]) => l)
  if (label?.includes('PRIVATE') === true) return 'holds a private key, where a public one belongs'
  if (label !== 'PUBLIC KEY' && label !== 'CERTIFICATE') {
    return 'holds no public key ("BEGIN PUBLIC KEY") and no certificate in PEM'
  }
  if (others.length > 0) return 'holds more than one key; add a section for each'
  const key = toKey(pem)
  if (key === undefined) return 'cannot be read as a key in PEM'
  const algorithm = algorithmOf(key, undefined, accepted)
  if (algorithm !== undefined) return { key, algorithm, keyId: undefined }
  return 'holds a key that is too weak or that none of the accepted algorithms is for'
}

/** The keys that may have made a signature. */
export function fittingKeys(keys: readonly SigningKey[], wanted: WantedKey): KeyObject[] {
  return keys
    .filter(
      ({ algorithm, keyId }) =>
        algorithm === wanted.algorithm && (wanted.keyId === undefined || keyId === wanted.keyId),
    )
    .map(({ key }) => key)
}

function readKey(jwk: unknown, accepted: readonly Algorithm[]): SigningKey | undefined {
  if (!isObject(jwk) || !isForChecking(jwk)) return undefined
  const { kid: keyId, alg, n, e, x, y } = jwk
  if (keyId !== undefined && typeof keyId !== 'string') return undefined
  if (![n, e, x, y].every(isCanonical)) return undefined
  const key = toKey({ key: { ...jwk }, format: 'jwk' })
  const algorithm = key && algorithmOf(key, alg, accepted)
  return key && algorithm && { key, algorithm, keyId }
}

/** RFC 7517 section 4.2 and 4.3. A published private key proves nothing. */
function isForChecking({ d, use, key_ops: operations }: JsonObject): boolean {
  if (d !== undefined || (use !== undefined && use !== 'sig')) return false
  return operations === undefined || (Array.isArray(operations) && operations.includes('verify'))
}

/** Node.js accepts base64 in almost any form. */
function isCanonical(part: unknown): boolean {
  if (typeof part !== 'string') return part === undefined
  return Buffer.from(part, 'base64url').toString('base64url') === part
}

function toKey(source: Parameters<typeof createPublicKey>[0]): KeyObject | undefined {
  try {
    return createPublicKey(source)
  } catch {
    return undefined
  }
}

/** @param stated the `alg` of the key, if it has one */
function algorithmOf(
  key: KeyObject,
  stated: unknown,
  accepted: readonly Algorithm[],
): Algorithm | undefined {
  const possible = algorithmsFor(key)
  return accepted.find(
    (algorithm) =>
      possible.includes(algorithm) && (stated === undefined || toAlgorithm(stated) === algorithm),
  )
}

const rsaAlgorithms = ['RS256', 'RS384', 'RS512', 'PS256', 'PS384', 'PS512'] as const

/** @returns none for a key that is too weak */
function algorithmsFor({
  asymmetricKeyType: type,
  asymmetricKeyDetails: details = {},
}: KeyObject): readonly Algorithm[] {
  if (type === 'ed25519') return ['EdDSA']
  const curve = curves.get(details.namedCurve)
  if (type === 'ec' && curve !== undefined) return [curve.algorithm]
  const { modulusLength: bits = 0, publicExponent: exponent = 0n } = details
  const isStrong = bits >= rsaBits.least && bits <= rsaBits.most && exponent >= 65_537n
  return type === 'rsa' && isStrong ? rsaAlgorithms : []
}
