import { ChainCheck, type ChainKeys } from '@svc/audit'
import { type Database, type Instant, isBefore, type Queryable, runPortions } from '@svc/database'
import type { Logger } from '@svc/runtime'
import { beginningOf, textOfBeginning, textOfEvent } from '../events/chain.ts'
import { type ChainedEvent, findProven, readChain, readChained } from './events.store.ts'
import { deleteEvents, eraseAddresses, readCutoff } from './retention.store.ts'

/** Events of a transaction. */
const portion = 1000

/** How long addresses are kept, in days. */
const addressDays = 90

interface RetentionOptions {
  readonly keys: ChainKeys
  /** How long events are kept, in milliseconds. */
  readonly retentionMs: number
  readonly log: Logger
  readonly signal?: AbortSignal | undefined
}

/**
 * Deletes the events that are too old, the oldest first, and erases old addresses. The newest event stays,
 * for the chain, which then begins at the first event that is left. What does not fit into the chain, or is
 * not proven to be old, stays: nothing that was edited is hidden. Of several processes one does the work.
 *
 * @returns how many events this process deleted
 */
export async function pruneEvents(db: Database, options: RetentionOptions): Promise<number> {
  const { signal } = options
  let count = 0
  await runPortions(db, { lock: 'auth.retention', signal }, async (tx) => {
    const deleted = await deletePortion(tx, options)
    count += deleted
    return deleted === portion
  })
  await runPortions(db, { lock: 'auth.erasure', signal }, async (tx) => {
    return (await eraseAddresses(tx, addressDays, portion)) === portion
  })
  return count
}

async function deletePortion(
  tx: Queryable,
  { keys, retentionMs, log }: RetentionOptions,
): Promise<number> {
  const chain = await readChain(tx)
  const { start, proof } = beginningOf(chain)
  const check = new ChainCheck({ keys, start, proof, noun: 'event' })
  const cutoff = await readCutoff(tx, retentionMs)
  const events = await readChained(tx, start.position, portion)
  const old: ChainedEvent[] = []
  for (const event of events) {
    if (!isBefore(event.at, cutoff) || event.number >= chain.headNumber) break
    const { number: position, previousHash, keyId, hash } = event
    if (!check.add({ position, previousHash, keyId, hash, text: textOf(event) })) break
    old.push(event)
  }
  if (check.brokenAt !== undefined) {
    log.error({ event: check.brokenAt, fault: check.fault }, 'the log of events was edited')
  }
  // The time of an event proves nothing without a key that is known; later ones are no older.
  const isProven = ({ keyId }: ChainedEvent) => keys.provingIds.includes(keyId)
  const last =
    old.length === portion && (await isOldLater(tx, keys, portionEnd(old), cutoff))
      ? old.at(-1)
      : old.findLast(isProven)
  if (last === undefined) return 0
  const { number: position, hash } = last
  const beginning = { position, keyId: keys.currentId, hash }
  return deleteEvents(tx, start.position, beginning, keys.mac(textOfBeginning(beginning)))
}

const textOf = (event: ChainedEvent) => textOfEvent(event, event.previousHash, event.keyId)

function portionEnd(events: readonly ChainedEvent[]): number {
  return events.at(-1)?.number ?? 0
}

/** Whether the next event that is proven, from a number on, is old as well. */
async function isOldLater(
  tx: Queryable,
  keys: ChainKeys,
  from: number,
  cutoff: Instant,
): Promise<boolean> {
  const event = await findProven(tx, keys.provingIds, from)
  if (event === undefined || !isBefore(event.at, cutoff)) return false
  return keys.mac(textOf(event), event.keyId)?.equals(event.hash) === true
}
