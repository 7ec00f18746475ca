import { hash } from 'node:crypto'
import { type ChainPlace, chainStart, type PlaceProof } from '@svc/audit'
import type { Instant } from '@svc/database'

/** What an event's hash is of, besides the hash before it. */
export interface EventRow {
  readonly number: number
  readonly at: Instant
  readonly type: string
  readonly actor: string
  readonly subject: string
  /** JSON. */
  readonly details: string | null
}

/** No namespace has this name: so no event has the text of a change. */
const chainName = 'auth.events'

/** All that the hash of an event is of. */
export function textOfEvent(event: EventRow, previousHash: Buffer, keyId: string): string {
  const { number, at, type, actor, subject, details } = event
  const microseconds = at.seconds * 1e6 + at.nanos / 1000
  const lines = [
    ...[keyId, previousHash.toString('hex'), chainName, number, microseconds],
    ...[type, actor, subject, details ?? ''].map((text) => hash('sha256', text)),
  ]
  return lines.join('\n')
}

/** The last event that is not kept any more. */
export interface PrunedHead {
  /** 0: none was deleted. */
  readonly prunedNumber: number
  readonly prunedHash: Buffer | null
  readonly prunedMac: Buffer | null
  readonly prunedKeyId: string
}

/** All that the MAC of a beginning is of. No event has this text: its first line is the id of a key. */
export function textOfBeginning({ position, keyId, hash }: ChainPlace): string {
  return ['pruned', keyId, chainName, position, hash.toString('hex')].join('\n')
}

/** The place after which the chain begins, and what proves it when events before it were deleted. */
export function beginningOf({ prunedNumber, prunedHash, prunedMac, prunedKeyId }: PrunedHead): {
  readonly start: ChainPlace
  readonly proof: PlaceProof | undefined
} {
  if (prunedNumber === 0) {
    return { start: { position: 0, keyId: '', hash: chainStart }, proof: undefined }
  }
  const start = { position: prunedNumber, keyId: prunedKeyId, hash: prunedHash ?? chainStart }
  return { start, proof: { text: textOfBeginning(start), mac: prunedMac ?? chainStart } }
}
