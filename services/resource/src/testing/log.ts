import { ChainKeys, chainStart, hashOfChange, ItemsHash, type LoggedItem } from '@svc/audit'
import type { TestDatabase } from '@svc/database/testing'
import { microseconds } from '../records/instants.ts'

export interface LoggedChange {
  readonly revision: number
  readonly at: number
  readonly actor: string
  readonly address: string | null
  readonly source: string
  readonly comment: string
  readonly requestId: string
  readonly details: string | null
  readonly previousHash: Buffer
  readonly keyId: string
  readonly hash: Buffer
  readonly items: readonly (Omit<LoggedItem, 'before' | 'after'> & {
    readonly before: string | null
    readonly after: string | null
  })[]
}

/** The log of a namespace by its rows, the oldest change first. */
export async function readLog(db: TestDatabase, namespaceKey = 'default'): Promise<LoggedChange[]> {
  return db.query<LoggedChange>(
    `SELECT revision, ${microseconds('at')} AS at, actor, address, source, comment,
            request_id AS "requestId", details::text AS details, previous_hash AS "previousHash",
            key_id AS "keyId", hash, (
              SELECT coalesce(json_agg(json_build_object('kind', kind, 'key', key,
                       'before', before::text, 'after', after::text) ORDER BY place), '[]')
                FROM resource.change_items AS i
               WHERE i.namespace_key = c.namespace_key AND i.revision = c.revision) AS items
       FROM resource.changes AS c WHERE namespace_key = $1 ORDER BY revision`,
    [namespaceKey],
  )
}

/** The hashes that the changes should have, computed anew from what is in them. */
export function hashesOf(
  changes: readonly LoggedChange[],
  namespaceKey = 'default',
  keys = new ChainKeys(),
): Buffer[] {
  let previousHash: Buffer = chainStart
  return changes.map((change) => {
    const items = new ItemsHash()
    for (const { kind, key, before, after } of change.items) {
      items.add({ kind, key, before: before ?? undefined, after: after ?? undefined })
    }
    const row = { ...change, namespaceKey, itemsHash: items.digest() }
    previousHash = hashOfChange(keys, row, previousHash, change.keyId) ?? chainStart
    return previousHash
  })
}
