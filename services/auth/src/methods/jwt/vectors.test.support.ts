import { goodClaims } from './jwt.test.support.ts'
import type { Signer } from './signing.test.support.ts'

/** What the tokens of the vectors are made with. */
export interface Forge {
  /** Whose tokens are accepted. */
  readonly signer: Signer
  /** Whose tokens are accepted as well, of another algorithm. */
  readonly other: Signer
  /** Signs as `signer` does, and nobody accepts it. */
  readonly stranger: Signer
}

/** A token by what is special about it. */
export type Vector = readonly [name: string, token: string]

/** The header of a good token, with some members other than they should be. */
export function header({ signer }: Forge, changes: object = {}): object {
  return { alg: signer.algorithm, kid: signer.keyId, ...changes }
}

/** Tokens that are good but for their header, and well signed. */
export function withHeaders(
  forge: Forge,
  changes: Readonly<Record<string, object>>,
): readonly Vector[] {
  return Object.entries(changes).map(([name, change]) => [
    `header: ${name}`,
    forge.signer.token(header(forge, change), goodClaims),
  ])
}

/** Tokens that are good but for their claims, and well signed. A text stands for them as it is. */
export function withClaims(
  forge: Forge,
  changes: Readonly<Record<string, object | string>>,
): readonly Vector[] {
  return Object.entries(changes).map(([name, change]) => [
    `claims: ${name}`,
    forge.signer.token(
      header(forge),
      typeof change === 'string' ? change : { ...goodClaims, ...change },
    ),
  ])
}
