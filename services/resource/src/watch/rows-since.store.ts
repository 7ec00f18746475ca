import type { Queryable } from '@svc/database'

/** Flags or segments that have changed since a revision; the SQL in it is constant. */
export interface ChangedRows {
  readonly table: string
  /** One of them, as JSON. */
  readonly body: string
  /** About what the body takes, without reading what is large in it. */
  readonly bytes: string
  readonly namespaceKey: string
  readonly from: number
}

interface Row<T> {
  readonly body: T
  /** As JSON, which takes more than the message will. */
  readonly bytes: number
}

/**
 * Reads them in order of their revisions, in as many statements as it takes for none of them to
 * come near the two seconds that a statement may take.
 */
export async function readRows<T>(tx: Queryable, rows: ChangedRows): Promise<Row<T>[]> {
  const all: Row<T>[] = []
  for (const keys of toGroups(await readSizes(tx, rows))) {
    for (const row of await readBodies<T>(tx, rows, keys)) all.push(row)
  }
  return all
}

interface Size {
  readonly revision: number
  readonly key: string
  readonly bytes: number
}

/** Each takes some lookups, so this is tens of milliseconds' worth. */
const sizesPerStatement = 1000

async function readSizes(
  tx: Queryable,
  { table, bytes, namespaceKey, from }: ChangedRows,
): Promise<Size[]> {
  const all: Size[] = []
  for (let after = { revision: from + 1, key: '' }; ; ) {
    const sizes = await tx.query<Size>(
      `SELECT revision, key, ${bytes} AS bytes FROM ${table}
        WHERE namespace_key = $1 AND (revision, key) > ($2, $3)
        ORDER BY revision, key LIMIT $4`,
      [namespaceKey, after.revision, after.key, sizesPerStatement],
    )
    for (const size of sizes) all.push(size)
    const last = sizes.at(-1)
    if (last === undefined || sizes.length < sizesPerStatement) return all
    after = last
  }
}

/** A tenth of a second's worth or so; only a flag or segment that is larger itself takes more. */
const bytesPerStatement = 4 * 2 ** 20

function toGroups(sizes: readonly Size[]): string[][] {
  const groups: string[][] = []
  let room = 0
  for (const { key, bytes } of sizes) {
    const current = groups.at(-1)
    if (current !== undefined && bytes <= room) {
      current.push(key)
      room -= bytes
    } else {
      groups.push([key])
      room = bytesPerStatement - bytes
    }
  }
  return groups
}

function readBodies<T>(
  tx: Queryable,
  { table, body, namespaceKey }: ChangedRows,
  keys: readonly string[],
): Promise<Row<T>[]> {
  return tx.query<Row<T>>(
    `SELECT body, octet_length(body::text) AS bytes
       FROM (SELECT revision, key, ${body} AS body FROM ${table}
              WHERE namespace_key = $1 AND key = ANY ($2::text[])
              ORDER BY revision, key) AS page
      ORDER BY revision, key`,
    [namespaceKey, keys],
  )
}
