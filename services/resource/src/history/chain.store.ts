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
import { storedBytes } from './items.store.ts'

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

/** A change as its verification needs it, without its items. */
export interface ChainedChange extends ChangeRow {
  readonly previousHash: Buffer
  readonly keyId: string
  readonly hash: Buffer
}

/** Changes after a revision, the oldest first. */
export async function readChained(
  tx: Queryable,
  namespaceKey: string,
  after: number,
  limit: number,
): Promise<ChainedChange[]> {
  return tx.query<ChainedChange>(
    `SELECT namespace_key AS "namespaceKey", revision, ${microseconds('at')} AS at, actor, source,
            comment, request_id AS "requestId", details::text AS details,
            items_hash AS "itemsHash", previous_hash AS "previousHash", key_id AS "keyId", hash
       FROM resource.changes WHERE namespace_key = $1 AND revision > $2
      ORDER BY revision LIMIT $3`,
    [namespaceKey, after, limit],
  )
}

/** An item with SHA-256 in place of its documents. */
export interface HashedItem {
  readonly revision: number
  readonly place: number
  readonly kind: string
  readonly key: string
  readonly before: Buffer
  readonly after: Buffer
}

/** Maximum items of a portion: some milliseconds, when they are small. */
const maxItems = 1000

/**
 * Maximum bytes of a portion's documents as they are stored, unless one item alone is larger. They are
 * compressed, to a ninetieth at most: so this is at most 45 MiB to be hashed, in some 100 ms.
 */
const maxStoredBytes = 2 ** 19

const hashOf = (document: string) => `sha256(convert_to(coalesce(${document}::text, ''), 'UTF8'))`

/**
 * A portion of the items after a place, in the order of revision and place. Their documents do not leave the
 * database.
 *
 * @param upTo the last revision
 * @returns none at the end
 */
export async function readHashedItems(
  tx: Queryable,
  namespaceKey: string,
  { revision, place }: Pick<HashedItem, 'revision' | 'place'>,
  upTo: number,
): Promise<HashedItem[]> {
  return tx.query<HashedItem>(
    `SELECT revision, place, kind, key, ${hashOf('before')} AS before, ${hashOf('after')} AS after
       FROM (SELECT *, sum(${storedBytes}) OVER portion AS bytes, row_number() OVER portion AS number
               FROM (SELECT * FROM resource.change_items
                      WHERE namespace_key = $1 AND (revision, place) > ($2, $3) AND revision <= $4
                      ORDER BY revision, place LIMIT ${maxItems}) AS next
             WINDOW portion AS (ORDER BY revision, place)) AS item
      WHERE bytes <= ${maxStoredBytes} OR number = 1
      ORDER BY revision, place`,
    [namespaceKey, revision, place, upTo],
  )
}

/**
 * All that the hash of a change is of.
 *
 * @param itemsHash of its items as they are now
 */
export function textOf(change: ChainedChange, itemsHash: Buffer): string {
  return textOfChange({ ...change, itemsHash }, change.previousHash, change.keyId)
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
