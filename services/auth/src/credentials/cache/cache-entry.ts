import { createHmac, timingSafeEqual } from 'node:crypto'
import type { TokenRecord } from '../records/authentications.store.ts'

/** The metadata of a token is bounded well below this. Longer ones are not worth the hashing. */
const maxLength = 65_536

interface Content {
  readonly record: TokenRecord
  readonly untilMs: number
}

/**
 * The text of a record in a cache that others may write to: who it is about and until when it may
 * be used are under a MAC, so that entries cannot be made up, exchanged, or kept for later.
 */
export function sealEntry(
  key: Buffer,
  tokenHash: string,
  record: TokenRecord,
  untilMs: number,
): string {
  const content = JSON.stringify({ record, untilMs } satisfies Content)
  return `${macOf(key, tokenHash, content)}.${content}`
}

export type OpenedEntry = TokenRecord | 'outdated' | 'forged'

export function openEntry(
  key: Buffer,
  tokenHash: string,
  entry: string,
  nowMs: number,
): OpenedEntry {
  if (entry.length > maxLength) return 'forged'
  const end = entry.indexOf('.')
  const mac = Buffer.from(entry.slice(0, Math.max(end, 0)))
  const expected = Buffer.from(macOf(key, tokenHash, entry.slice(end + 1)))
  if (mac.length !== expected.length || !timingSafeEqual(mac, expected)) return 'forged'
  const { record, untilMs } = JSON.parse(entry.slice(end + 1)) as Content
  return nowMs < untilMs ? record : 'outdated'
}

/** The form of an entry is part of it: other releases may have written there. */
function macOf(key: Buffer, tokenHash: string, content: string): string {
  // A hash always has 43 characters, so that nothing can be moved from one part to the next.
  const hmac = createHmac('sha256', key).update(`token entry 2\n${tokenHash}\n`)
  return hmac.update(content).digest('base64url')
}
