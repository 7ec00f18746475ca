import type { Database, Queryable } from '@svc/database'
import { Segment } from '@svc/proto/resource/v1/segments'
import { segments } from '../segments/segments.ts'
import { type EncodedFlag, readFlagStates } from './flag-states.ts'
import { groupsSince } from './groups-since.store.ts'

/** The numbers of a namespace by which it is known what has happened to it. */
export interface Revisions {
  readonly revision: number
  /** An earlier revision is of another namespace of the same key. */
  readonly createdRevision: number
  /** Tombstones up to here may be gone. */
  readonly compactedRevision: number
  /** When the revision was stamped, in milliseconds since 1970; `null` when that is not known. */
  readonly changedAtMs: number | null
}

/** What has happened to a namespace since a revision. */
export type Delta = Deletion | NamespaceDelta

/** There is no such namespace. */
export interface Deletion {
  readonly namespaceKey: string
  readonly deleted: true
  /** Of the deletion; `undefined` when its tombstone is gone. */
  readonly revision: number | undefined
}

export interface NamespaceDelta extends Revisions {
  readonly namespaceKey: string
  readonly deleted: false
  /** 0 when this is the whole namespace. */
  readonly fromRevision: number
  readonly flags: readonly EncodedFlag[]
  readonly segments: readonly SizedSegment[]
  /** When this is the whole namespace, all that are known. */
  readonly tombstones: readonly Tombstone[]
}

export interface SizedSegment {
  readonly revision: number
  readonly segment: Segment
  /** What it takes in a message. */
  readonly bytes: number
}

export interface Tombstone {
  readonly kind: 'flag' | 'segment'
  readonly key: string
  readonly revision: number
}

const revisionColumns = `revision, created_revision AS "createdRevision",
  compacted_revision AS "compactedRevision",
  date_part('epoch', changed_at) * 1000 AS "changedAtMs"`

/** Those of every namespace, by its key. */
export async function readRevisions(db: Queryable): Promise<Map<string, Revisions>> {
  const rows = await db.query<Revisions & { key: string }>(
    `SELECT key, ${revisionColumns} FROM resource.namespaces`,
  )
  return new Map(rows.map(({ key, ...revisions }) => [key, revisions]))
}

/** The namespaces that were deleted last, the last one at the end, with the revisions of that. */
export async function readDeletions(
  db: Queryable,
  limit: number,
): Promise<{ key: string; revision: number }[]> {
  const rows = await db.query<{ key: string; revision: number }>(
    `SELECT namespace_key AS key, revision FROM resource.tombstones
      WHERE kind = 'namespace' ORDER BY revision DESC LIMIT $1`,
    [limit],
  )
  return rows.reverse()
}

/**
 * What has happened in a namespace since a revision, 0 meaning ever; all of it as of one moment.
 *
 * It is the whole namespace where the revision cannot be resumed from: it is of another namespace of
 * the same key, tombstones since then are gone, or a restored backup has not reached it yet.
 */
export function readChangesSince(
  db: Database,
  namespaceKey: string,
  since: number,
): Promise<Delta> {
  return db.transaction((tx) => readDelta(tx, namespaceKey, since), { readOnly: true })
}

async function readDelta(tx: Queryable, namespaceKey: string, since: number): Promise<Delta> {
  // All at once, as if it can be resumed: that it cannot is rare, and saves a round trip.
  const [[revisions], flags, segments, tombstones] = await Promise.all([
    tx.query<Revisions>(`SELECT ${revisionColumns} FROM resource.namespaces WHERE key = $1`, [
      namespaceKey,
    ]),
    readFlagsSince(tx, namespaceKey, since),
    readSegmentsSince(tx, namespaceKey, since),
    readTombstones(tx, namespaceKey, since),
  ])
  if (revisions === undefined) return readDeletion(tx, namespaceKey)
  if (since > 0 && !canResume(since, revisions)) return readDelta(tx, namespaceKey, 0)
  return {
    namespaceKey,
    deleted: false,
    fromRevision: since,
    ...revisions,
    flags,
    segments,
    tombstones,
  }
}

/** Whether a copy at this revision can be brought up to date by the changes since. */
export function canResume(
  since: number,
  { revision, createdRevision, compactedRevision }: Revisions,
): boolean {
  return since >= createdRevision && since >= compactedRevision && since <= revision
}

async function readDeletion(tx: Queryable, namespaceKey: string): Promise<Delta> {
  const [tombstone] = await tx.query<{ revision: number }>(
    `SELECT revision FROM resource.tombstones
      WHERE namespace_key = $1 AND kind = 'namespace' AND key = $1`,
    [namespaceKey],
  )
  return { namespaceKey, deleted: true, revision: tombstone?.revision }
}

async function readFlagsSince(tx: Queryable, namespaceKey: string, from: number) {
  const flags: EncodedFlag[] = []
  for await (const group of groupsSince(tx, 'flag', namespaceKey, from)) {
    for (const flag of await readFlagStates(tx, namespaceKey, group)) flags.push(flag)
  }
  return flags
}

async function readSegmentsSince(tx: Queryable, namespaceKey: string, from: number) {
  const sized: SizedSegment[] = []
  for await (const group of groupsSince(tx, 'segment', namespaceKey, from)) {
    for (const segment of await segments.readAll(tx, namespaceKey, [...group.keys()])) {
      const revision = group.get(segment.key) ?? from
      sized.push({ revision, segment, bytes: Segment.encode(segment).finish().length })
    }
  }
  return sized
}

function readTombstones(tx: Queryable, namespaceKey: string, from: number): Promise<Tombstone[]> {
  return tx.query<Tombstone>(
    `SELECT kind, key, revision FROM resource.tombstones
      WHERE namespace_key = $1 AND revision > $2 AND kind IN ('flag', 'segment')`,
    [namespaceKey, from],
  )
}
