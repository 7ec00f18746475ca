import type { Queryable } from '@svc/database'
import { type AppError, invalidArgument } from '@svc/runtime'
import { type ChangedRecord, titleOf } from '../changes/changed-record.ts'
import type { ChangeRecorder } from '../changes/recorder.ts'
import { changedMembers } from '../documents/members.ts'
import { recordNotFound } from '../records/errors.ts'
import { findMissingSegment } from '../segments/segments.ts'
import { type FlagWrite, writeFlags } from './flags.store.ts'
import type { Outcome } from './items.ts'
import { labelError } from './labels.ts'
import { findUsedSegment } from './references.store.ts'
import { deleteRows, type SegmentWrite, writeSegmentRows, writeSettings } from './segments.store.ts'

/**
 * Writes what changes in a portion, all of which is of one kind and either set or deleted.
 *
 * @throws {AppError} when a flag uses a segment that is not there, or one that is to be deleted
 */
export async function writePortion(
  tx: Queryable,
  change: ChangeRecorder,
  outcomes: readonly Outcome[],
): Promise<void> {
  const { namespaceKey } = change
  const flags = outcomes.flatMap(toFlagWrite)
  const segments = outcomes.flatMap(toSegmentWrite)
  for (const { operation, after } of outcomes) {
    if (after !== undefined) change.changed(recordOf(operation))
    if (after !== undefined && 'confirm' in after) await writeSettings(tx, namespaceKey, after)
  }
  if (flags.length > 0) {
    await checkSegments(tx, namespaceKey, outcomes)
    await writeFlags(tx, namespaceKey, flags)
  }
  if (segments.length > 0) await writeSegmentRows(tx, namespaceKey, segments)
  await deleteAll(tx, change, outcomes)
}

function recordOf({ kind, key }: ChangedRecord): ChangedRecord {
  return { kind, key }
}

function toFlagWrite({ before, after, managedBy, changes }: Outcome): FlagWrite[] {
  if (after === undefined || !('rollouts' in after)) return []
  const was = before !== undefined && 'rollouts' in before ? before : undefined
  return [{ before: was, after, managedBy, changed: changedMembers(changes) }]
}

function toSegmentWrite({ after, managedBy, changes }: Outcome): SegmentWrite[] {
  if (after === undefined || !('constraints' in after)) return []
  return [{ after, managedBy, changed: changedMembers(changes) }]
}

/** Those that are deleted are still there, and refused in their turn. */
async function checkSegments(
  tx: Queryable,
  namespaceKey: string,
  outcomes: readonly Outcome[],
): Promise<void> {
  const keys = new Set(outcomes.flatMap(segmentsOf))
  const missing = keys.size > 0 && (await findMissingSegment(tx, namespaceKey, [...keys]))
  if (!missing) return
  const user = outcomes.find((one) => segmentsOf(one).includes(missing))
  // The operations of an undo have no label: there it is the flag that needs the segment.
  const label = user && (user.operation.label || titleOf(namespaceKey, user.operation))
  throw labelError(label ?? '', recordNotFound('segment', namespaceKey, missing))
}

/** The segments that a flag will use. */
export function segmentsOf({ after }: Outcome): string[] {
  if (after === undefined || !('rollouts' in after)) return []
  const ofRollouts = after.rollouts.flatMap(({ segment }) => segment?.segments ?? [])
  return [...after.rules.flatMap(({ segments }) => segments), ...ofRollouts]
}

async function deleteAll(
  tx: Queryable,
  change: ChangeRecorder,
  outcomes: readonly Outcome[],
): Promise<void> {
  const { namespaceKey } = change
  const gone = outcomes.filter(({ after }) => after === undefined)
  const keys = gone.map(({ operation }) => operation.key)
  const kind = gone[0]?.operation.kind
  if (kind === undefined || kind === 'namespace') return
  if (kind === 'segment') await checkUnused(tx, namespaceKey, gone)
  for (const { key, bytes } of await deleteRows(tx, namespaceKey, kind, keys)) {
    change.deleted({ kind, key }, bytes)
  }
}

async function checkUnused(
  tx: Queryable,
  namespaceKey: string,
  gone: readonly Outcome[],
): Promise<void> {
  const keys = gone.map(({ operation }) => operation.key)
  const used = await findUsedSegment(tx, namespaceKey, keys)
  if (used === undefined) return
  const { operation } = gone.find((one) => one.operation.key === used.segmentKey) ?? {}
  throw labelError(operation?.label ?? '', segmentInUse(namespaceKey, used))
}

/** The error of a segment that is to be deleted, and that a flag uses. */
export function segmentInUse(
  namespaceKey: string,
  { segmentKey, flagKey }: { readonly segmentKey: string; readonly flagKey: string },
): AppError {
  const title = titleOf(namespaceKey, { kind: 'segment', key: segmentKey })
  return invalidArgument(`${title} is in use by flag "${flagKey}"`)
}
