import type { Queryable } from '@svc/database'
import type { ChangedRecord } from '../changes/changed-record.ts'

/** An operation as it came. */
export interface SentOperation extends ChangedRecord {
  readonly isDeletion: boolean
  /** The encoded message. */
  readonly content: Uint8Array
}

/** Where an operation is in its draft. */
export interface OperationPlace {
  readonly part: number
  /** In the part, from 0. */
  readonly place: number
}

/** @returns the digest of the part; nothing when the draft has none of that number */
export async function findPart(
  tx: Queryable,
  draftId: string,
  number: number,
): Promise<Buffer | undefined> {
  const [part] = await tx.query<{ digest: Buffer }>(
    'SELECT digest FROM resource.draft_parts WHERE draft_id = $1 AND number = $2',
    [draftId, number],
  )
  return part?.digest
}

/** @returns the first of some objects that an operation of the draft is about already */
export async function findNamed(
  tx: Queryable,
  draftId: string,
  records: readonly ChangedRecord[],
): Promise<(ChangedRecord & OperationPlace) | undefined> {
  const [named] = await tx.query<ChangedRecord & OperationPlace>(
    `SELECT kind, key, part, place FROM resource.draft_operations
      WHERE draft_id = $1 AND (kind, key) IN (SELECT * FROM unnest($2::text[], $3::text[]))
      ORDER BY part, place LIMIT 1`,
    [draftId, records.map(({ kind }) => kind), records.map(({ key }) => key)],
  )
  return named
}

/** The contents are sent as one value: as a list of values each byte would be two. */
export async function insertPart(
  tx: Queryable,
  draftId: string,
  number: number,
  digest: Buffer,
  operations: readonly SentOperation[],
): Promise<void> {
  let end = 0
  const offsets = operations.map(({ content }) => {
    const offset = end + 1
    end += content.length
    return offset
  })
  await Promise.all([
    tx.query('INSERT INTO resource.draft_parts (draft_id, number, digest) VALUES ($1, $2, $3)', [
      draftId,
      number,
      digest,
    ]),
    tx.query(
      `INSERT INTO resource.draft_operations
             (draft_id, part, place, kind, key, is_deletion, content)
       SELECT $1, $2, o.place - 1, o.kind, o.key, o.is_deletion,
              substring($3::bytea FROM o.from_byte FOR o.bytes)
         FROM unnest($4::text[], $5::text[], $6::boolean[], $7::integer[], $8::integer[])
              WITH ORDINALITY AS o (kind, key, is_deletion, from_byte, bytes, place)`,
      [
        ...[draftId, number, Buffer.concat(operations.map(({ content }) => content))],
        operations.map(({ kind }) => kind),
        operations.map(({ key }) => key),
        operations.map(({ isDeletion }) => isDeletion),
        offsets,
        operations.map(({ content }) => content.length),
      ],
    ),
  ])
}

/** An operation of a draft without its content. */
export interface DraftOperation extends ChangedRecord, OperationPlace {
  readonly isDeletion: boolean
  readonly bytes: number
}

/** All operations of a draft, in their order. */
export function listOperations(tx: Queryable, draftId: string): Promise<DraftOperation[]> {
  return tx.query<DraftOperation>(
    `SELECT kind, key, part, place, is_deletion AS "isDeletion", octet_length(content) AS bytes
       FROM resource.draft_operations WHERE draft_id = $1 ORDER BY part, place`,
    [draftId],
    { isRead: true },
  )
}

/** The digests of a draft's parts, in their order. */
export function listDigests(
  tx: Queryable,
  draftId: string,
): Promise<{ readonly number: number; readonly digest: Buffer }[]> {
  return tx.query(
    'SELECT number, digest FROM resource.draft_parts WHERE draft_id = $1 ORDER BY number',
    [draftId],
    { isRead: true },
  )
}

/** The contents of operations about objects of one kind, in their order. */
export function readContents(
  tx: Queryable,
  draftId: string,
  kind: string,
  keys: readonly string[],
): Promise<(OperationPlace & { readonly content: Buffer })[]> {
  return tx.query(
    `SELECT part, place, content FROM resource.draft_operations
      WHERE draft_id = $1 AND kind = $2 AND key = ANY ($3::text[]) ORDER BY part, place`,
    [draftId, kind, keys],
    { isRead: true },
  )
}
