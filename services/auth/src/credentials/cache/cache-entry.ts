import { createHmac, timingSafeEqual } from 'node:crypto'
import type { TokenRecord } from '../records/authentications.store.ts'
import type { Hash } from '../records/token.ts'

/** Maximum length of an entry. The metadata of a token is bounded well below it. */
const maxLength = 65_536

interface Content {
  readonly record: TokenRecord
  readonly untilMs: number
}

/**
 * A record as an entry of a cache that other clients may write to. A MAC covers record, token and
 * expiry, so that entries cannot be forged, swapped or replayed later.
 */
export function sealEntry(
  key: Buffer,
  tokenHash: Hash,
  record: TokenRecord,
  untilMs: number,
): string {
  const content = JSON.stringify({ record, untilMs } satisfies Content)
  return `${macOf(key, tokenHash, content)}.${content}`
}

export type OpenedEntry = TokenRecord | 'outdated' | 'forged'

export function openEntry(key: Buffer, tokenHash: Hash, entry: string, nowMs: number): OpenedEntry {
  if (entry.length > maxLength) return 'forged'
  const end = entry.indexOf('.')
  const mac = Buffer.from(entry.slice(0, Math.max(end, 0)))
  const expected = Buffer.from(macOf(key, tokenHash, entry.slice(end + 1)))
  if (mac.length !== expected.length || !timingSafeEqual(mac, expected)) return 'forged'
  const { record, untilMs } = JSON.parse(entry.slice(end + 1)) as Content
  return nowMs < untilMs && isWhole(record) ? record : 'outdated'
}

/** Release 1.1 writes entries without these members, and passes over them in those that it reads. */
function isWhole({ issuer, rootId }: Partial<TokenRecord>): boolean {
  return issuer !== undefined && rootId !== undefined
}

/** The MAC covers the version of the format: another release may have written the entry. */
function macOf(key: Buffer, tokenHash: Hash, content: string): string {
  // A hash always has 43 characters, so the parts cannot shift into each other.
  const hmac = createHmac('sha256', key).update(`token entry 2\n${tokenHash}\n`)
  return hmac.update(content).digest('base64url')
}
