import { ChainKeys, chainStart, hashOfChange, ItemsHash } from '@svc/audit'
import type { Database } from '@svc/database'

export interface OldChanges {
  /** How long ago each was made, in hours: the oldest first. */
  readonly hoursAgo: readonly number[]
  readonly keys?: ChainKeys
  readonly namespaceKey?: string
  /** Of each change; all of them update flags that are not there. */
  readonly items?: number
}

/** Maximum items of each change that one statement writes. */
const itemsAtOnce = 2000

/**
 * Logs changes of the past at the end of a namespace's chain: these are what `commit` would have written then.
 *
 * @returns their revisions
 */
export async function logOldChanges(
  db: Database,
  { hoursAgo, keys = new ChainKeys(), namespaceKey = 'default', items = 1 }: OldChanges,
): Promise<number[]> {
  const [state] = await db.query<{ now: number; hash: Buffer | null; first: number }>(
    `SELECT round(date_part('epoch', now()) * 1e6)::bigint AS now,
            (SELECT hash FROM resource.chains WHERE namespace_key = $1) AS hash,
            setval('resource.revisions', nextval('resource.revisions') + $2::bigint) - $2 AS first`,
    [namespaceKey, hoursAgo.length],
  )
  if (state === undefined) throw new Error('no state')
  const documents = Array.from({ length: items }, (_, n) => ({
    key: `old-${n}`,
    text: `{"key":"old-${n}","name":"Old"}`,
  }))
  const hash = new ItemsHash()
  for (const { key, text } of documents) hash.add({ kind: 'flag', key, before: text, after: text })
  const itemsHash = hash.digest()
  let previousHash = state.hash ?? chainStart
  const rows = hoursAgo.map((hours, index) => {
    const change = {
      ...{ namespaceKey, itemsHash, actor: 'a', source: 'api', comment: '', requestId: '' },
      ...{ revision: state.first + index, at: state.now - hours * 3600e6, details: null },
    }
    const row = { ...change, previousHash, hash: hashOfChange(keys, change, previousHash) }
    previousHash = row.hash ?? chainStart
    return row
  })
  await db.query(
    `INSERT INTO resource.changes
            (namespace_key, revision, at, actor, address, source, items_hash, previous_hash, key_id, hash)
     SELECT $1, revision, 'epoch'::timestamptz + at * interval '1 microsecond', 'a', '10.0.0.7', 'api',
            $2, previous_hash, $3, hash
       FROM unnest($4::bigint[], $5::bigint[], $6::bytea[], $7::bytea[])
              AS row (revision, at, previous_hash, hash)`,
    [
      ...[namespaceKey, itemsHash, keys.currentId],
      rows.map(({ revision }) => revision),
      rows.map(({ at }) => at),
      rows.map((row) => row.previousHash),
      rows.map((row) => row.hash),
    ],
  )
  // In parts, as a statement has two seconds, and tests share the processors.
  for (let first = 0; first < documents.length; first += itemsAtOnce) {
    const part = documents.slice(first, first + itemsAtOnce)
    await db.query(
      `INSERT INTO resource.change_items (namespace_key, revision, place, kind, key, before, after)
       SELECT $1, revision, $5::integer + item.number - 1, 'flag', item.key, item.text::json, item.text::json
         FROM unnest($2::bigint[]) AS revision
        CROSS JOIN unnest($3::text[], $4::text[]) WITH ORDINALITY AS item (key, text, number)`,
      [
        namespaceKey,
        rows.map(({ revision }) => revision),
        part.map(({ key }) => key),
        part.map(({ text }) => text),
        first,
      ],
    )
  }
  const last = rows.at(-1)
  await db.query(
    `WITH chain AS (
       INSERT INTO resource.chains (namespace_key, revision, hash, logged_on, logged_bytes)
       VALUES ($1, $2, $3, current_date, 0)
       ON CONFLICT (namespace_key) DO UPDATE SET revision = excluded.revision, hash = excluded.hash)
     UPDATE resource.namespaces SET revision = $2 WHERE key = $1`,
    [namespaceKey, last?.revision, last?.hash],
  )
  return rows.map(({ revision }) => revision)
}
