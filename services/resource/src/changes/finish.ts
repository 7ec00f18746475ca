import type { Database, Queryable } from '@svc/database'
import { idOf } from './changed-record.ts'
import { endsWithDeletion, insertLog, type Reason, sizeOfChange } from './log.store.ts'
import { logSettingsOf, tooManyChanges } from './log-settings.ts'
import { type ChangeContext, originOf, type Source } from './origin.ts'
import type { ChangeRecorder } from './recorder.ts'
import { checkNamespaceSize, recordFull } from './size-limits.ts'
import { type Stamp, stampChange } from './stamp.store.ts'
import { readTexts } from './texts.ts'

/** What the log says of a change that is not one of the API's own writes. */
export interface ChangeOptions {
  /** @default 'api' */
  readonly source?: Source
  /** Why; that of the request's header unless given. */
  readonly comment?: string
  readonly details?: Readonly<Record<string, unknown>>
  /** Everything is done, and rolled back. */
  readonly isDryRun?: boolean
}

/** @throws {AppError} `invalid_argument` for a comment that is none */
export function reasonOf(
  db: Database,
  context: ChangeContext,
  { source = 'api', comment, details }: ChangeOptions,
): Reason {
  return { origin: originOf(context, source, comment), details, keys: logSettingsOf(db).keys }
}

/**
 * Stamps and logs what was recorded up to now, so that no more of a large change is in memory than a part.
 *
 * @throws {AppError} when something has grown beyond what it may take
 */
export async function finishPart(tx: Queryable, change: ChangeRecorder): Promise<void> {
  if (change.records.length > 0) {
    const { revision } = await stampPart(tx, change)
    await change.items.write(tx, revision)
  }
  change.forget()
}

/**
 * Gives a change its revision and logs it. The last statement is not awaited: it goes with the COMMIT.
 *
 * @returns the revision
 * @throws {AppError} when something has grown beyond what it may take, or too much was logged today
 */
export async function finishChange(
  db: Database,
  tx: Queryable,
  change: ChangeRecorder,
  reason: Reason,
): Promise<number> {
  const { namespaceKey } = change
  const stamp = await stampPart(tx, change)
  if (change.hasGrown) await checkNamespaceSize(db, tx, namespaceKey, stamp.bytes)
  const gap = await findGap(tx, change, stamp)
  const logged = gap === undefined ? reason : { ...reason, details: { ...reason.details, gap } }
  checkLogSize(db, change, stamp, logged)
  insertLog(tx, change, stamp, logged).catch(() => {})
  return stamp.revision
}

async function stampPart(tx: Queryable, change: ChangeRecorder): Promise<Stamp> {
  const { namespaceKey, items, records } = change
  const [stamp, after] = await Promise.all([
    stampChange(tx, namespaceKey, change),
    readTexts(tx, namespaceKey, records),
  ])
  if (stamp.full !== null) throw recordFull(namespaceKey, stamp.full)
  for (const record of records) {
    const [was, is] = [change.before(record), after.get(idOf(record))]
    items.add({ ...record, before: was?.text, after: is?.text })
  }
  change.stamped(stamp)
  return stamp
}

/** Undoing and deleting are how a namespace that changes too much is brought back to order. */
function checkLogSize(
  db: Database,
  { namespaceKey, items }: ChangeRecorder,
  { head }: Stamp,
  reason: Reason,
): void {
  const { dailyBytes } = logSettingsOf(db)
  if (reason.origin.source === 'undo' || items.hasOnlyDeletions) return
  if ((head?.loggedBytes ?? 0) + sizeOfChange(items, reason) > dailyBytes) {
    throw tooManyChanges(namespaceKey, dailyBytes)
  }
}

/** Revisions of a namespace that processes without the log have written: later than `from`, up to `to`. */
interface Gap {
  readonly from: number
  readonly to: number
}

/** Finds out whether the namespace was changed since the change that was logged last. */
async function findGap(
  tx: Queryable,
  { namespaceKey, previousRevision }: ChangeRecorder,
  { head, revision: next }: Stamp,
): Promise<Gap | undefined> {
  const from = head?.revision ?? 0
  if (previousRevision !== undefined) {
    return previousRevision > from ? { from, to: previousRevision } : undefined
  }
  // It is created: so whatever was logged last was its deletion.
  if (head === null || (await endsWithDeletion(tx, namespaceKey, from))) return undefined
  return { from, to: next - 1 }
}
