import type { Queryable } from '@svc/database'
import { type CreateFlagRequest, Flag, type UpdateFlagRequest } from '@svc/proto/resource/v1/flags'
import type { Variant } from '@svc/proto/resource/v1/variants'
import { type ListQuery, type Page, type PageOf, readPage } from '../paging.ts'
import { onlyRow } from '../rows.ts'
import { variantJson } from '../variants/variants.store.ts'
import { flagNotFound, toMetadataText } from './flags.ts'

/** The message of a flag `f`, but for what {@link toFlag} does. */
export const flagJson = `json_build_object(
  'key', f.key,
  'name', f.name,
  'description', f.description,
  'enabled', f.enabled,
  'createdAt', resource.instant(f.created_at),
  'updatedAt', resource.instant(f.updated_at),
  'variants', (
    SELECT coalesce(json_agg(${variantJson} ORDER BY v.position), '[]')
      FROM resource.variants AS v
     WHERE v.namespace_key = f.namespace_key AND v.flag_key = f.key),
  'namespaceKey', f.namespace_key,
  'type', f.type,
  'defaultVariant', (
    SELECT ${variantJson}
      FROM resource.variants AS v
     WHERE v.namespace_key = f.namespace_key AND v.flag_key = f.key
       AND v.id = f.default_variant_id),
  'metadata', f.metadata)`

/** A flag as {@link flagJson} gives it: SQL has no members that are left out. */
export type FlagRow = Omit<Flag, 'defaultVariant' | 'metadata'> & {
  readonly defaultVariant: Variant | null
  readonly metadata: NonNullable<Flag['metadata']> | null
}

export function toFlag({ defaultVariant, metadata, ...flag }: FlagRow): Flag {
  return {
    ...flag,
    ...(defaultVariant === null ? {} : { defaultVariant }),
    ...(metadata === null ? {} : { metadata }),
  }
}

export const flagOrder = ['position']

const flagBytes = `octet_length(f.description) + coalesce(octet_length(f.metadata::text), 0) + (
  SELECT coalesce(sum(octet_length(v.description) + octet_length(v.attachment)), 0)
         + coalesce(sum(octet_length(v.attachment)) FILTER (WHERE v.id = f.default_variant_id), 0)
    FROM resource.variants AS v
   WHERE v.namespace_key = f.namespace_key AND v.flag_key = f.key)`

export function listFlags(db: Queryable, namespaceKey: string, page: Page): Promise<PageOf<Flag>> {
  const query: ListQuery<FlagRow, Flag> = {
    from: ['resource.flags', 'f'],
    where: 'f.namespace_key = $1',
    item: flagJson,
    bytes: flagBytes,
    order: flagOrder,
    values: [namespaceKey],
    toMessage: toFlag,
    messageType: Flag,
  }
  return readPage(db, query, page)
}

/** @throws {AppError} `not_found` when there is none */
export async function getFlag(db: Queryable, namespaceKey: string, key: string): Promise<Flag> {
  const [row] = await db.query<{ flag: FlagRow }>(
    `SELECT ${flagJson} AS flag FROM resource.flags AS f WHERE f.namespace_key = $1 AND f.key = $2`,
    [namespaceKey, key],
  )
  if (row === undefined) throw flagNotFound(namespaceKey, key)
  return toFlag(row.flag)
}

export async function hasFlag(db: Queryable, namespaceKey: string, key: string): Promise<boolean> {
  const rows = await db.query('SELECT FROM resource.flags WHERE namespace_key = $1 AND key = $2', [
    namespaceKey,
    key,
  ])
  return rows.length > 0
}

/** @throws {ConstraintViolation} of `flag_is_unique` */
export async function insertFlagRow(
  db: Queryable,
  { namespaceKey, key, type, name, description, enabled, metadata = {} }: CreateFlagRequest,
): Promise<Flag> {
  const rows = await db.query<{ flag: FlagRow }>(
    `INSERT INTO resource.flags AS f
            (namespace_key, key, type, name, description, enabled, metadata)
     VALUES ($1, $2, $3, $4, $5, $6, nullif($7, '')::json)
     RETURNING ${flagJson} AS flag`,
    [namespaceKey, key, type, name, description, enabled, toMetadataText(metadata)],
  )
  return toFlag(onlyRow(rows).flag)
}

/**
 * @returns the flag as it now is, or `undefined` when there is none to update
 * @throws {ConstraintViolation} of `default_variant_exists`
 */
export async function updateFlagRow(
  db: Queryable,
  { namespaceKey, key, name, description, enabled, ...update }: UpdateFlagRequest,
): Promise<Flag | undefined> {
  const { defaultVariantId, metadata } = update
  const [row] = await db.query<{ flag: FlagRow }>(
    `UPDATE resource.flags AS f
        SET name = $3, description = $4, enabled = $5, default_variant_id = nullif($6, ''),
            metadata = CASE WHEN $7 THEN nullif($8, '')::json ELSE f.metadata END,
            updated_at = statement_timestamp()
      WHERE f.namespace_key = $1 AND f.key = $2
      RETURNING ${flagJson} AS flag`,
    [
      namespaceKey,
      key,
      name,
      description,
      enabled,
      defaultVariantId,
      metadata !== undefined,
      toMetadataText(metadata ?? {}),
    ],
  )
  return row && toFlag(row.flag)
}

/** With everything in it. @returns how many bytes it took, or `undefined` when there was none */
export async function deleteFlagRow(
  db: Queryable,
  namespaceKey: string,
  key: string,
): Promise<number | undefined> {
  const [row] = await db.query<{ bytes: number }>(
    'DELETE FROM resource.flags WHERE namespace_key = $1 AND key = $2 RETURNING held_bytes AS bytes',
    [namespaceKey, key],
  )
  return row?.bytes
}
