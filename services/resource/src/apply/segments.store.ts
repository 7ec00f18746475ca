import type { Queryable } from '@svc/database'
import type { NamespaceSettings, SegmentDocument } from '@svc/proto/resource/v1/documents'
import { type PartTable, writeParts } from './parts.store.ts'

/** A segment as it will be. */
export interface SegmentWrite {
  readonly after: SegmentDocument
  readonly managedBy: string
  /** The members that are others than before. */
  readonly changed: ReadonlySet<string>
}

const constraints: PartTable = {
  table: 'constraints',
  owner: 'segment_key',
  key: ['id'],
  columns: {
    type: 'text',
    property: 'text',
    operator: 'text',
    value: 'text',
    description: 'text',
  },
  isInOrder: true,
}

/** Writes segments by sets, without a wait in between. */
export async function writeSegmentRows(
  tx: Queryable,
  namespaceKey: string,
  writes: readonly SegmentWrite[],
): Promise<void> {
  const rows = writes.map(({ after, managedBy }, place) => {
    const { key, name, description, matchType } = after
    return { place, key, name, description, match_type: matchType, managed_by: managedBy }
  })
  const withConstraints = writes.filter(({ changed }) => changed.has('constraints'))
  await Promise.all([
    tx.query(
      `INSERT INTO resource.segments
             (namespace_key, key, name, description, match_type, managed_by)
       SELECT $1, r.key, r.name, r.description, r.match_type, r.managed_by
         FROM json_to_recordset($2::json) AS r (place integer, key text, name text,
                description text, match_type text, managed_by text)
        ORDER BY r.place
       ON CONFLICT (namespace_key, key) DO UPDATE
          SET name = excluded.name, description = excluded.description,
              match_type = excluded.match_type, managed_by = excluded.managed_by,
              updated_at = statement_timestamp()`,
      [namespaceKey, JSON.stringify(rows)],
    ),
    writeParts(
      tx,
      namespaceKey,
      constraints,
      withConstraints.map(({ after }) => after.key),
      withConstraints.flatMap(({ after }) =>
        after.constraints.map((constraint) => ({ ...constraint, segment_key: after.key })),
      ),
    ),
  ])
}

export async function writeSettings(
  tx: Queryable,
  namespaceKey: string,
  { name, description, color, confirm }: NamespaceSettings,
): Promise<void> {
  await tx.query(
    `UPDATE resource.namespaces
        SET name = $2, description = $3, color = $4, confirm = $5,
            updated_at = statement_timestamp()
      WHERE key = $1`,
    [namespaceKey, name, description, color, confirm],
  )
}

/** @returns for each that there was, how many bytes its row counted */
export async function deleteRows(
  tx: Queryable,
  namespaceKey: string,
  kind: 'flag' | 'segment',
  keys: readonly string[],
): Promise<readonly { readonly key: string; readonly bytes: number }[]> {
  return tx.query(
    `DELETE FROM resource.${kind}s WHERE namespace_key = $1 AND key = ANY ($2::text[])
     RETURNING key, held_bytes AS bytes`,
    [namespaceKey, keys],
  )
}
