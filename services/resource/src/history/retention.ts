import type { ChainKeys } from '@svc/audit'
import { type Database, type Queryable, runPortions } from '@svc/database'
import { type Logger, type Running, startEvery } from '@svc/runtime'
import { forEachItem } from '../records/each-item.ts'
import { readChained, textOf, textOfBeginning } from './chain.store.ts'
import { ChainedItems } from './chained-items.ts'
import {
  deleteUpTo,
  eraseAddresses,
  findNewestOld,
  listOldest,
  listWithAddresses,
  listWithOld,
  portionSize,
  takeHeads,
} from './retention.store.ts'

export interface RetentionOptions {
  readonly db: Database
  readonly log: Logger
  readonly keys: ChainKeys
  /** Age from which a change is deleted, in milliseconds: 30 days at least, or the database refuses. */
  readonly retentionMs: number
}

const hourMs = 3_600_000

/** Age from which the address of a change is erased. */
const addressMs = 90 * 24 * hourMs

/** One process does a portion at a time. */
const lock = 'resource.retention'

/**
 * Keeps the change log in bounds, once an hour: logs the heads of chains, erases old addresses and deletes old
 * changes. Safe in any number of processes.
 */
export function startRetention(options: RetentionOptions): Running {
  return startEvery(hourMs, options.log, async (signal) => {
    for (const step of [logHeads, eraseOld, deleteOld]) {
      if (signal.aborted) return
      await step(options, signal).catch((err: unknown) => {
        options.log.error(
          { err, step: step.name },
          'retention failed; it is tried again in an hour',
        )
      })
    }
  })
}

/**
 * Logs the heads of the chains that changed, as a witness: a log whose end was cut off, or that was made anew
 * with the key, does not have that hash any more. Before the commit, so that none is left out.
 */
export async function logHeads({ db, log }: RetentionOptions, signal?: AbortSignal): Promise<void> {
  await runPortions(db, { lock, signal }, async (tx) => {
    for (const { namespaceKey: namespace, revision, hash } of await takeHeads(tx)) {
      log.info({ namespace, revision, hash: hash.toString('hex') }, 'chain head')
    }
    return false
  })
}

/** Erases the addresses of changes that are 90 days old. */
export async function eraseOld(options: RetentionOptions, signal?: AbortSignal): Promise<void> {
  const { db } = options
  const namespaceKeys = await listWithAddresses(db, addressMs)
  await forEach(options, namespaceKeys, signal, (namespaceKey) =>
    runPortions(db, { lock, signal }, async (tx) => {
      return (await eraseAddresses(tx, namespaceKey, addressMs)) >= portionSize
    }),
  )
}

/** Deletes changes that are older than `retentionMs`, but for the newest of each namespace. */
export async function deleteOld(options: RetentionOptions, signal?: AbortSignal): Promise<void> {
  const { db, log, retentionMs } = options
  const namespaceKeys = await listWithOld(db, retentionMs)
  await forEach(options, namespaceKeys, signal, async (namespace) => {
    let count = 0
    const isDone = await runPortions(db, { lock, signal }, async (tx) => {
      const deleted = await deletePortion(tx, namespace, options)
      count += deleted
      return deleted > 0
    })
    if (count > 0) log.info({ namespace, count }, 'deleted old changes')
    return isDone
  })
}

/**
 * Deletes a portion of the oldest changes. Within a namespace time grows with the revision: so all of them are
 * old when the MAC of a later one proves that this one is. Without that, a time that was edited by SQL would let
 * retention delete the changes that it was to keep, and the beginning that it signs would hide it.
 *
 * @returns how many
 */
async function deletePortion(
  tx: Queryable,
  namespaceKey: string,
  { log, keys, retentionMs }: RetentionOptions,
): Promise<number> {
  const upTo = await findNewestOld(tx, namespaceKey, retentionMs, keys.provingIds)
  // Of an unknown key, or from before there was a key: in time, a later one is old.
  if (upTo === undefined) return 0
  const leave = (revision: number, why: string) => {
    const message = 'retention leaves the changes of a namespace: one is not as it was written'
    log.error({ namespace: namespaceKey, revision, why }, message)
    return 0
  }
  if (!(await isProven(tx, namespaceKey, upTo, keys))) return leave(upTo, 'its hash differs')
  const listed = await listOldest(tx, namespaceKey, retentionMs, upTo)
  const young = listed.findIndex(({ isOld }) => !isOld)
  if (young === 0)
    return leave(listed[0]?.revision ?? 0, 'its time is later than that of a later one')
  const last = listed.slice(0, young === -1 ? undefined : young).at(-1)
  if (last === undefined) return 0
  const { revision, hash } = last
  const keyId = keys.currentId
  const mac = keys.mac(textOfBeginning(namespaceKey, { position: revision, keyId, hash }))
  if (mac === undefined) throw new Error('the current key is not known')
  await deleteUpTo(tx, namespaceKey, { revision, hash, mac, keyId })
  return young === -1 ? listed.length : young
}

async function isProven(
  tx: Queryable,
  namespaceKey: string,
  revision: number,
  keys: ChainKeys,
): Promise<boolean> {
  const [change] = await readChained(tx, namespaceKey, revision - 1, 1)
  if (change === undefined) return false
  const items = new ChainedItems(tx, { namespaceKey, after: revision - 1, upTo: revision })
  const { hash, isComplete } = await items.take(revision)
  return isComplete && keys.mac(textOf(change, hash), change.keyId)?.equals(change.hash) === true
}

/** @param work returns `false` when another process is at it */
function forEach(
  { log }: RetentionOptions,
  namespaceKeys: readonly string[],
  signal: AbortSignal | undefined,
  work: (namespaceKey: string) => Promise<boolean>,
): Promise<void> {
  return forEachItem(
    namespaceKeys,
    async (namespaceKey) => (await work(namespaceKey)) && signal?.aborted !== true,
    (err, namespace) => {
      log.error({ err, namespace }, 'retention of a namespace failed; it is tried again in an hour')
    },
  )
}
