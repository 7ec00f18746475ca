import type { Database, Queryable } from '@svc/database'
import type { Segment } from '@svc/proto/resource/v1/segments'
import { FlagState } from '@svc/proto/resource/v1/watch'
import { type FlagRow, flagJson, toFlag } from '../flags/flags.store.ts'
import { bytesInFlag, bytesInSegment, bytesPerRecord } from '../growth.ts'
import { type RolloutRow, rolloutJson, toRollout } from '../rollouts/rollouts.store.ts'
import { type RuleRow, ruleJson, toRule } from '../rules/rules.store.ts'
import { segmentJson } from '../segments/segments.store.ts'
import type { Delta, Part } from './delta.ts'
import { readRows } from './rows-since.store.ts'

/** The revision of every namespace. */
export async function readRevisions(db: Queryable): Promise<Map<string, number>> {
  const rows = await db.query<{ key: string; revision: number }>(
    'SELECT key, revision FROM resource.namespaces',
  )
  return new Map(rows.map(({ key, revision }) => [key, revision]))
}

/**
 * What has happened in a namespace since a revision, 0 meaning ever; all of it as of one moment.
 *
 * It is the whole namespace for whoever cannot go on from there: because that was another namespace
 * of the same key, because tombstones since then are gone, or because the revision is yet to come,
 * which is so after a backup was restored.
 */
export function readChangesSince(
  db: Database,
  namespaceKey: string,
  since: number,
): Promise<Delta> {
  return db.transaction(
    async (tx) => {
      const namespace = await findRevisions(tx, namespaceKey)
      if (namespace === undefined) return readDeletion(tx, namespaceKey, since)
      const { revision, created, compacted } = namespace
      const isResumable = since >= created && since >= compacted && since <= revision
      const from = isResumable ? since : 0
      const parts = [
        ...(await readFlags(tx, namespaceKey, from)),
        ...(await readSegments(tx, namespaceKey, from)),
        ...(from === 0 ? [] : await readTombstones(tx, namespaceKey, from)),
      ]
      return { namespaceKey, fromRevision: from, revision, deleted: false, parts }
    },
    { isolation: 'repeatable read' },
  )
}

interface Revisions {
  readonly revision: number
  readonly created: number
  readonly compacted: number
}

async function findRevisions(tx: Queryable, namespaceKey: string): Promise<Revisions | undefined> {
  const [row] = await tx.query<Revisions>(
    `SELECT revision, created_revision AS created, compacted_revision AS compacted
       FROM resource.namespaces WHERE key = $1`,
    [namespaceKey],
  )
  return row
}

async function readDeletion(tx: Queryable, namespaceKey: string, since: number): Promise<Delta> {
  const [tombstone] = await tx.query<{ revision: number }>(
    `SELECT revision FROM resource.tombstones
      WHERE namespace_key = $1 AND kind = 'namespace' AND key = $1`,
    [namespaceKey],
  )
  const revision = tombstone?.revision ?? since
  return { namespaceKey, fromRevision: since, revision, deleted: true, parts: [] }
}

interface FlagStateRow {
  readonly flag: FlagRow
  readonly rules: RuleRow[]
  readonly rollouts: RolloutRow[]
}

async function readFlags(tx: Queryable, namespaceKey: string, from: number): Promise<Part[]> {
  const body = `json_build_object(
    'flag', ${flagJson},
    'rules', (
      SELECT coalesce(json_agg(${ruleJson} ORDER BY r.rank, r.position), '[]')
        FROM resource.rules AS r
       WHERE r.namespace_key = f.namespace_key AND r.flag_key = f.key),
    'rollouts', (
      SELECT coalesce(json_agg(${rolloutJson} ORDER BY o.rank), '[]')
        FROM resource.rollouts AS o
       WHERE o.namespace_key = f.namespace_key AND o.flag_key = f.key))`
  const bytes = `${bytesPerRecord} + octet_length(f.description)
    + coalesce(octet_length(f.metadata::text), 0) + ${bytesInFlag('f.namespace_key', 'f.key')}`
  const set = { table: 'resource.flags AS f', body, bytes, namespaceKey, from }
  const rows = await readRows<FlagStateRow>(tx, set)
  return rows.map(({ bytes, body: { flag, rules, rollouts } }) => {
    const state = {
      flag: toFlag(flag),
      rules: rules.map(toRule),
      rollouts: rollouts.map(toRollout),
    }
    return { bytes, flags: [Buffer.from(FlagState.encode(state).finish())] }
  })
}

async function readSegments(tx: Queryable, namespaceKey: string, from: number): Promise<Part[]> {
  const bytes = `${bytesPerRecord} + octet_length(s.description)
    + ${bytesInSegment('s.namespace_key', 's.key')}`
  const set = { table: 'resource.segments AS s', body: segmentJson, bytes, namespaceKey, from }
  const rows = await readRows<Segment>(tx, set)
  return rows.map(({ bytes, body }) => ({ bytes, segments: [body] }))
}

async function readTombstones(tx: Queryable, namespaceKey: string, from: number): Promise<Part[]> {
  const rows = await tx.query<{ kind: 'flag' | 'segment'; key: string }>(
    `SELECT kind, key FROM resource.tombstones
      WHERE namespace_key = $1 AND revision > $2 AND kind IN ('flag', 'segment')`,
    [namespaceKey, from],
  )
  return rows.map(({ kind, key }) => {
    // Two bytes say what it is and how long it is.
    const bytes = key.length + 2
    return kind === 'flag'
      ? { bytes, deletedFlagKeys: [key] }
      : { bytes, deletedSegmentKeys: [key] }
  })
}
