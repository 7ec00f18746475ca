import { signatureAlgorithms } from '@svc/config'

export type Algorithm = (typeof signatureAlgorithms)[number]

/** @param name as a header or a key has it; Ed25519 is the newer name of EdDSA (RFC 9864) */
export function toAlgorithm(name: unknown): Algorithm | undefined {
  return name === 'Ed25519' ? 'EdDSA' : signatureAlgorithms.find((algorithm) => algorithm === name)
}

/** Settings have the names in small letters. */
export function acceptedAlgorithms(names: readonly string[]): readonly Algorithm[] {
  return names.flatMap((name) =>
    signatureAlgorithms.filter((algorithm) => algorithm.toLowerCase() === name),
  )
}
