/** Signature algorithms with a public key (RFC 7518 section 3.1, RFC 8037). */
export const signatureAlgorithms = [
  'RS256',
  'RS384',
  'RS512',
  'PS256',
  'PS384',
  'PS512',
  'ES256',
  'ES384',
  'ES512',
  'EdDSA',
] as const

/** Their names in settings. */
export const algorithmNames = signatureAlgorithms.map((name) => name.toLowerCase())

export type Algorithm = (typeof signatureAlgorithms)[number]

/** @param name as a header or a key has it; Ed25519 is the newer name of EdDSA (RFC 9864) */
export function toAlgorithm(name: unknown): Algorithm | undefined {
  return name === 'Ed25519' ? 'EdDSA' : signatureAlgorithms.find((algorithm) => algorithm === name)
}

/** @param names in lower case, as settings have them */
export function acceptedAlgorithms(names: readonly string[]): readonly Algorithm[] {
  return names.flatMap((name) =>
    signatureAlgorithms.filter((algorithm) => algorithm.toLowerCase() === name),
  )
}
