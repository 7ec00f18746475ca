import { type Algorithm, toAlgorithm } from '../algorithms.ts'
import { type Members, refused } from './compact.ts'
import type { WantedKey } from './signing-keys.ts'

/** Types that are accepted where none is set, besides none: of any JWT, of access tokens (RFC 9068). */
const usualTypes = ['jwt', 'at+jwt']

/** Members that change what is signed or how it reads; and, by `cty`, a nested token. */
const refusedMembers = ['crit', 'b64', 'zip', 'enc', 'cty']

/**
 * Reads which key a token names. Keys that come with it (`jwk`, `jku`, `x5c`, `x5u`) are ignored: an
 * attacker can send any.
 *
 * @param type the only accepted `typ`, which jose checks, if one is set
 * @throws {AppError} `unauthenticated`
 */
export function readHeader(
  header: Members,
  accepted: readonly Algorithm[],
  type: string | undefined,
): WantedKey {
  if (refusedMembers.some((name) => header.has(name))) throw refused('wrong_header')
  if (type === undefined) checkUsualType(header.get('typ'))
  const algorithm = toAlgorithm(header.get('alg'))
  if (algorithm === undefined || !accepted.includes(algorithm)) throw refused('wrong_algorithm')
  const keyId = header.get('kid')
  if (keyId !== undefined && typeof keyId !== 'string') throw refused('wrong_header')
  return { algorithm, keyId }
}

/** RFC 7515 section 4.1.9: in any case, and `application/` may be left out. */
function checkUsualType(typ: unknown): void {
  if (typ === undefined) return
  const short = String(typ)
    .toLowerCase()
    .replace(/^application\//, '')
  if (typeof typ !== 'string' || !usualTypes.includes(short)) throw refused('wrong_type')
}
