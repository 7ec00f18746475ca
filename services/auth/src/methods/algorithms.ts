/** Signature algorithms with a public key (RFC 7518 section 3.1, RFC 8037), by their names in settings. */
export const algorithms = {
  rs256: 'RS256',
  rs384: 'RS384',
  rs512: 'RS512',
  ps256: 'PS256',
  ps384: 'PS384',
  ps512: 'PS512',
  es256: 'ES256',
  es384: 'ES384',
  es512: 'ES512',
  eddsa: 'EdDSA',
} as const

export type Algorithm = (typeof algorithms)[keyof typeof algorithms]

export const algorithmNames = Object.keys(algorithms) as (keyof typeof algorithms)[]

/** @param name as a header or a key has it; Ed25519 is the newer name of EdDSA (RFC 9864) */
export function toAlgorithm(name: unknown): Algorithm | undefined {
  return name === 'Ed25519' ? 'EdDSA' : Object.values(algorithms).find((one) => one === name)
}
