import {
  type Database,
  isLockTimeout,
  limiterPerDatabase,
  type Queryable,
  type TransactionOptions,
} from '@svc/database'
import { type AppError, unavailable } from '@svc/runtime'
import { recordNotFound } from '../records/errors.ts'
import { KeptActor } from './actors.ts'
import type { ChangedRecord } from './changed-record.ts'
import { checkIfMatch, etagOf, presentTag, readIfMatch, tagOf } from './etag.ts'
import { type ChangeOptions, finishChange, reasonOf } from './finish.ts'
import type { ChangeContext } from './origin.ts'
import { type Beginning, ChangeRecorder } from './recorder.ts'
import { lockNamespace, tryLockNamespace } from './stamp.store.ts'
import { readTexts } from './texts.ts'

/** Use cases on one namespace. They share a transaction, so all of them happen or none. */
export type Write<T> = (tx: Queryable, change: ChangeRecorder) => Promise<T>

/** What a change is about. Only what is named here may be changed. */
export interface Target {
  readonly namespaceKey: string
  readonly records: readonly ChangedRecord[]
  /** What the log says of the change to this namespace; that of all unless given. */
  readonly details?: Readonly<Record<string, unknown>> | undefined
}

/**
 * Every write goes through here. It locks the namespace's row first, so writes to one namespace
 * happen one after the other: what `write` reads stays true until the commit. All that it records
 * gets the next revision and one change in the log; listeners are notified at commit.
 *
 * @param missing what there is instead of a result when there is no such namespace
 * @throws {AppError} what `write` and `missing` throw
 */
export function commitChange<T>(
  db: Database,
  target: Target,
  context: ChangeContext,
  write: Write<T>,
  options: ChangeOptions & { readonly missing?: () => T } = {},
): Promise<T> {
  const { namespaceKey } = target
  const { missing = () => refuseMissing(namespaceKey) } = options
  return commit(db, [target], context, options, { readsFirst: true }, async (tx, lockAll) => {
    const [change] = await lockAll()
    return change === undefined ? missing() : write(tx, change)
  })
}

/**
 * The same for several namespaces in one transaction, one revision and one change for each.
 *
 * @param write is given a recorder for each target, in their order
 */
export function commitChanges<T>(
  db: Database,
  targets: readonly Target[],
  context: ChangeContext,
  write: (tx: Queryable, changes: readonly ChangeRecorder[]) => Promise<T>,
  options: ChangeOptions = {},
): Promise<T> {
  return commit(db, targets, context, options, { readsFirst: true }, async (tx, lockAll) => {
    const changes = await lockAll()
    const present = changes.map(
      (change, index) => change ?? refuseMissing(targets[index]?.namespaceKey),
    )
    return write(tx, present)
  })
}

/**
 * The same for a namespace that does not exist yet: `write` inserts its row first, which locks it. A caller
 * that expects it to be there is refused unless it is, and then by `write`.
 */
export function commitCreation<T>(
  db: Database,
  namespaceKey: string,
  context: ChangeContext,
  write: Write<T>,
  options: ChangeOptions = {},
): Promise<T> {
  const records = [{ kind: 'namespace', key: namespaceKey }] as const
  const target = { namespaceKey, records }
  return commit(db, [target], context, options, {}, async (tx, lockAll, begin) => {
    if (context.get('svc-if-match') !== undefined) await lockAll()
    return write(tx, begin(target, { before: new Map(), revision: undefined }))
  })
}

interface Done<T> {
  readonly result: T
  readonly revisions: readonly string[]
  /** Of the only record that it was about; nothing when that is gone. */
  readonly tag?: string | undefined
}

type Begin = (target: Target, beginning: Beginning) => ChangeRecorder

async function commit<T>(
  db: Database,
  targets: readonly Target[],
  context: ChangeContext,
  options: ChangeOptions,
  mode: TransactionOptions,
  work: (
    tx: Queryable,
    lockAll: () => Promise<(ChangeRecorder | undefined)[]>,
    begin: Begin,
  ) => Promise<T>,
): Promise<T> {
  const reason = reasonOf(db, context, options)
  const [first, ...others] = targets.flatMap(({ records }) => records)
  const record = others.length === 0 ? first : undefined
  const ifMatch = readIfMatch(context, record)
  const actor = new KeptActor(db, reason.origin.actor, context.caller)
  const deadline = performance.now() + maxWaitMs
  const inOrder = targets.toSorted((a, b) => (a.namespaceKey < b.namespaceKey ? -1 : 1))
  let tried: Done<T> | undefined
  const run = async (tx: Queryable): Promise<Done<T>> => {
    const begun: ChangeRecorder[] = []
    const detailsOf = new Map<ChangeRecorder, Target['details']>()
    const begin: Begin = ({ namespaceKey, records, details }, beginning) => {
      const change = new ChangeRecorder(namespaceKey, records, context.caller, beginning)
      begun.push(change)
      detailsOf.set(change, details ?? reason.details)
      return change
    }
    const lockAll = async () => {
      const changes = new Map<Target, ChangeRecorder>()
      // One after the other, in the order that all processes have: so no two wait for each other.
      for (const target of inOrder) {
        const beginning = await lockAndRead(tx, target, deadline)
        if (ifMatch !== undefined) {
          checkIfMatch(ifMatch, context, target.namespaceKey, beginning)
        }
        if (beginning.revision !== undefined) changes.set(target, begin(target, beginning))
      }
      return targets.map((target) => changes.get(target))
    }
    const result = await work(tx, lockAll, begin)
    const changed = begun.filter((change) => !change.isEmpty)
    if (changed.length > 0) actor.keep(tx)
    const isGone = changed.some(({ deletions }) => deletions.length > 0)
    const revisions: string[] = []
    for (const change of changed) {
      const stamped = await finishChange(db, tx, change, {
        ...reason,
        details: detailsOf.get(change),
      })
      revisions.push(tagOf(change.namespaceKey, stamped))
    }
    if (options.isDryRun) {
      tried = { result, revisions: [] }
      throw new DryRun()
    }
    if (record === undefined || isGone) return { result, revisions }
    return { result, revisions, tag: revisions[0] ?? presentTag(begun[0], record) }
  }
  const keys = inOrder.map(({ namespaceKey }) => namespaceKey)
  const { result, revisions, tag } = await inTurn(db, keys, () =>
    db.transaction(run, mode).catch((error: unknown) => {
      if (error instanceof DryRun && tried !== undefined) return tried
      throw isLockTimeout(error) ? tooManyWriters(keys.join('", "')) : error
    }),
  )
  if (revisions.length > 0) actor.confirm()
  for (const revision of revisions) context.setTrailer('svc-revision', revision)
  if (tag !== undefined) context.setTrailer('svc-etag', etagOf(tag))
  return result
}

/** Rolls a change back that was only to be tried. */
class DryRun extends Error {}

/** Locks the namespace and reads what the change is about as it is before, sent together. */
async function lockAndRead(
  tx: Queryable,
  { namespaceKey, records }: Target,
  deadline: number,
): Promise<Beginning> {
  const [free, before] = await Promise.all([
    tryLockNamespace(tx, namespaceKey),
    readTexts(tx, namespaceKey, records),
  ])
  if (free !== undefined) return { revision: free, before }
  // Usually no other process has the row. Setting the limits of a wait is two more statements.
  const waitMs = Math.max(1, deadline - performance.now())
  const revision = await lockNamespace(tx, namespaceKey, waitMs)
  return { revision, before: await readTexts(tx, namespaceKey, records) }
}

function refuseMissing(namespaceKey: string | undefined): never {
  throw recordNotFound('namespace', namespaceKey)
}

/**
 * Maximum wait of a write, in this process and then for other replicas, in milliseconds. The gateway
 * gives a write 13 s: the rest is for the change itself.
 */
const maxWaitMs = 10_000

/** Maximum waiting writes of a namespace: as many as fit into the wait, at 25 ms each. */
const maxWaitingPerKey = 400

/**
 * A mutex per namespace for the writes of this process; the row lock is for those of all processes.
 * A write that waits here holds no database connection: waiting for the row, it would.
 */
export const mutexOf = limiterPerDatabase({
  ...{ maxRunningPerKey: 1, maxWaitingPerKey, maxWaitMs },
  refuse: tooManyWriters,
})

/** @param keys in the order that all processes have */
function inTurn<T>(db: Database, [key, ...rest]: readonly string[], work: () => Promise<T>) {
  if (key === undefined) return work()
  return mutexOf(db).run(key, (): Promise<T> => inTurn(db, rest, work))
}

/** The error of a write that waited for too long. Nothing was changed, so a caller may repeat it. */
function tooManyWriters(namespaceKey: string): AppError {
  return unavailable(`too many changes to namespace "${namespaceKey}" at once, try again`)
}
