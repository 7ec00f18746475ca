import {
  type ChainPlace,
  type ChangeRow,
  chainStart,
  type PlaceProof,
  textOfChange,
} from '@svc/audit'
import type { Queryable } from '@svc/database'
import { microseconds } from '../records/instants.ts'
import { onlyRow } from '../records/table.ts'

/** What is known of a chain besides its changes. */
export interface ChainState {
  /** Of the namespace; `null` when there is none. */
  readonly namespaceRevision: number | null
  /** The change that was logged last; `null` when there is no log. */
  readonly headRevision: number | null
  readonly headHash: Buffer | null
  readonly startedRevision: number
  readonly prunedRevision: number
  readonly prunedHash: Buffer | null
  readonly prunedMac: Buffer | null
  readonly prunedKeyId: string
}

export async function readChain(tx: Queryable, namespaceKey: string): Promise<ChainState> {
  const rows = await tx.query<ChainState>(
    `SELECT n.revision AS "namespaceRevision", c.revision AS "headRevision", c.hash AS "headHash",
            coalesce(c.started_revision, 0) AS "startedRevision",
            coalesce(c.pruned_revision, 0) AS "prunedRevision", c.pruned_hash AS "prunedHash",
            c.pruned_mac AS "prunedMac", coalesce(c.pruned_key_id, '') AS "prunedKeyId"
       FROM (SELECT $1::text AS key) AS asked
       LEFT JOIN resource.namespaces AS n ON n.key = asked.key
       LEFT JOIN resource.chains AS c ON c.namespace_key = asked.key`,
    [namespaceKey],
  )
  return onlyRow(rows)
}

/** The place after which a chain begins, and what proves it when changes before it were deleted. */
export function beginningOf(
  namespaceKey: string,
  { prunedRevision, prunedHash, prunedMac, prunedKeyId }: ChainState,
): { readonly start: ChainPlace; readonly proof: PlaceProof | undefined } {
  if (prunedRevision === 0) {
    return { start: { position: 0, keyId: '', hash: chainStart }, proof: undefined }
  }
  const start = { position: prunedRevision, keyId: prunedKeyId, hash: prunedHash ?? chainStart }
  const proof = { text: textOfBeginning(namespaceKey, start), mac: prunedMac ?? chainStart }
  return { start, proof }
}

/** All that the MAC of a beginning is of. No change has this text: its first line is the id of a key. */
export function textOfBeginning(
  namespaceKey: string,
  { position, keyId, hash }: ChainPlace,
): string {
  return ['pruned', keyId, namespaceKey, position, hash.toString('hex')].join('\n')
}

/** A change as its verification needs it. */
export interface ChainedChange extends ChangeRow {
  readonly previousHash: Buffer
  readonly keyId: string
  readonly hash: Buffer
  /** What the database computes of the items now, where `itemsHash` is what was stored. */
  readonly foundHash: Buffer
  /** Whether the places of the items are 0, 1, 2 and so on. */
  readonly isComplete: boolean
}

const hashOf = (document: string) => `sha256(convert_to(coalesce(${document}::text, ''), 'UTF8'))`

/** Changes after a revision, the oldest first. Their documents do not leave the database. */
export async function readChained(
  tx: Queryable,
  namespaceKey: string,
  after: number,
  limit: number,
): Promise<ChainedChange[]> {
  return tx.query<ChainedChange>(
    `SELECT c.namespace_key AS "namespaceKey", c.revision, ${microseconds('c.at')} AS at, c.actor,
            c.source, c.comment, c.request_id AS "requestId", c.details::text AS details,
            c.items_hash AS "itemsHash", c.previous_hash AS "previousHash", c.key_id AS "keyId",
            c.hash, items.*
       FROM (SELECT * FROM resource.changes WHERE namespace_key = $1 AND revision > $2
              ORDER BY revision LIMIT $3) AS c
      CROSS JOIN LATERAL (
        SELECT sha256(coalesce(string_agg(
                 convert_to(kind || E'\\n' || key || E'\\n', 'UTF8')
                 || ${hashOf('before')} || ${hashOf('after')}, ''::bytea ORDER BY place), ''::bytea))
                 AS "foundHash",
               coalesce(min(place), 0) = 0 AND coalesce(max(place) + 1, 0) = count(*)
                 AS "isComplete"
          FROM resource.change_items
         WHERE namespace_key = $1 AND revision = c.revision) AS items
      ORDER BY c.revision`,
    [namespaceKey, after, limit],
  )
}

/** All that the hash of a change is of, with its items as they are now. */
export function textOf(change: ChainedChange): string {
  return textOfChange({ ...change, itemsHash: change.foundHash }, change.previousHash, change.keyId)
}

/** The newest change up to a revision. */
export async function findPlace(
  tx: Queryable,
  namespaceKey: string,
  upTo: number,
): Promise<ChainPlace | undefined> {
  const [place] = await tx.query<ChainPlace>(
    `SELECT revision AS position, key_id AS "keyId", hash FROM resource.changes
      WHERE namespace_key = $1 AND revision <= $2 ORDER BY revision DESC LIMIT 1`,
    [namespaceKey, upTo],
  )
  return place
}

/** The first revision, later than one and up to another, that has items and is no change. */
export async function findStray(
  tx: Queryable,
  namespaceKey: string,
  after: number,
  upTo: number,
): Promise<number | undefined> {
  const [stray] = await tx.query<{ revision: number }>(
    `SELECT revision FROM resource.change_items AS i
      WHERE namespace_key = $1 AND revision > $2 AND revision <= $3
        AND NOT EXISTS (
          SELECT FROM resource.changes AS c
           WHERE c.namespace_key = $1 AND c.revision = i.revision)
      ORDER BY revision LIMIT 1`,
    [namespaceKey, after, upTo],
  )
  return stray?.revision
}
