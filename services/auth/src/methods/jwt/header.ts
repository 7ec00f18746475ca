import { type Algorithm, toAlgorithm } from '../algorithms.ts'
import type { Members } from './compact.ts'
import { refused } from './refusals.ts'
import type { WantedKey } from './signing-keys.ts'

/** What tokens call themselves when no type is set: nothing, or that of access tokens (RFC 9068). */
const usualTypes = ['jwt', 'at+jwt']

/** Extensions that change what is signed or how it reads; and, by `cty`, a token in a token. */
const refusedMembers = ['crit', 'b64', 'zip', 'enc', 'cty']

/**
 * Checks how a token says that it was signed. Keys that come with it (`jwk`, `jku`, `x5c`, `x5u`)
 * mean nothing: anyone can send some.
 *
 * @param type what `typ` must be, if anything
 * @throws {AppError} `unauthenticated`
 */
export function checkHeader(
  header: Members,
  accepted: readonly Algorithm[],
  type: string | undefined,
): WantedKey {
  if (refusedMembers.some((name) => header.has(name))) throw refused('wrong_header')
  checkType(header.get('typ'), type)
  const algorithm = toAlgorithm(header.get('alg'))
  if (algorithm === undefined || !accepted.includes(algorithm)) throw refused('wrong_algorithm')
  const keyId = header.get('kid')
  if (keyId !== undefined && typeof keyId !== 'string') throw refused('wrong_header')
  return { algorithm, keyId }
}

/** RFC 7515 section 4.1.9: in any case, and `application/` may be left out. */
function checkType(typ: unknown, type: string | undefined): void {
  if (typ === undefined && type === undefined) return
  const accepted = type === undefined ? usualTypes : [toShortType(type)]
  if (typeof typ !== 'string' || !accepted.includes(toShortType(typ))) throw refused('wrong_type')
}

function toShortType(type: string): string {
  return type.toLowerCase().replace(/^application\//, '')
}
