import type { Queryable } from '@svc/database'
import { bytesInSegment, bytesPerRecord, recordsInFlags } from '../changes/growth.ts'

/** Each takes some lookups, so a statement for so many takes some tens of milliseconds. */
const keysPerStatement = 1000

/** A tenth of a second's worth or so; only a flag or segment that is larger itself takes more. */
const bytesPerStatement = 4 * 2 ** 20

/** What a row takes besides long texts, if its keys are not the longest there may be. */
const bytesPerRow = 400

/**
 * Names the flags or segments that have changed since a revision, in groups that one statement can
 * read without coming near the two seconds that it may take.
 */
export async function* groupsSince(
  tx: Queryable,
  kind: 'flag' | 'segment',
  namespaceKey: string,
  from: number,
): AsyncGenerator<string[], void> {
  let group: string[] = []
  let room = bytesPerStatement
  for await (const { key, bytes } of sizesSince(tx, kind, namespaceKey, from)) {
    if (group.length > 0 && bytes > room) {
      yield group
      group = []
      room = bytesPerStatement
    }
    group.push(key)
    room -= bytes
  }
  if (group.length > 0) yield group
}

interface Size {
  readonly key: string
  /** About what it takes as text, without reading what is large in it. */
  readonly bytes: number
}

async function* sizesSince(
  tx: Queryable,
  kind: 'flag' | 'segment',
  namespaceKey: string,
  from: number,
): AsyncGenerator<Size, void> {
  for (let after = { revision: from + 1, key: '' }; ; ) {
    const page = await tx.query<{ revision: number; key: string }>(
      `SELECT revision, key FROM resource.${kind}s
        WHERE namespace_key = $1 AND (revision, key) > ($2, $3)
        ORDER BY revision, key LIMIT $4`,
      [namespaceKey, after.revision, after.key, keysPerStatement],
    )
    const last = page.at(-1)
    if (last === undefined) return
    // The usual change is to one of them, and that is read by itself however large it is.
    if (page.length === 1) yield { key: last.key, bytes: 0 }
    else {
      const keys = page.map(({ key }) => key)
      yield* await tx.query<Size>(sizeStatements[kind], [namespaceKey, keys])
    }
    if (page.length < keysPerStatement) return
    after = last
  }
}

/**
 * Sums over everything and not joins: of tables that have just grown PostgreSQL knows too little to
 * choose a good way to join them.
 */
const sizeStatements = {
  flag: `
    SELECT key, sum(${bytesPerRow} + bytes) AS bytes
      FROM (SELECT key, octet_length(description)
                        + coalesce(octet_length(metadata::text), 0) AS bytes
              FROM resource.flags WHERE namespace_key = $1 AND key = ANY ($2::text[])
             UNION ALL
            ${recordsInFlags('namespace_key = $1 AND flag_key = ANY ($2::text[])')}) AS record
     GROUP BY key`,
  segment: `
    SELECT key, (${bytesPerRecord} + octet_length(s.description)
                 + ${bytesInSegment('s.namespace_key', 's.key')})::bigint AS bytes
      FROM resource.segments AS s
     WHERE namespace_key = $1 AND key = ANY ($2::text[])`,
} as const
