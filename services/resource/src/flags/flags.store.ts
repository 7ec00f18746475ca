import type { Queryable } from '@svc/database'
import { type CreateFlagRequest, Flag, type UpdateFlagRequest } from '@svc/proto/resource/v1/flags'
import { microseconds, toInstant } from '../instants.ts'
import { type ListQuery, type Page, type PageOf, readPage } from '../lists/paging.ts'
import { onlyRow } from '../rows.ts'
import { toVariant, type VariantRow, variantColumns } from '../variants/variants.store.ts'
import { flagNotFound, toMetadataText } from './flags.ts'

/** A flag `f` with its variants: what every reader of flags selects. */
const flagColumns = `
  f.key, f.name, f.description, f.enabled, f.type, f.metadata, f.namespace_key AS "namespaceKey",
  ${microseconds('f.created_at')} AS "createdAt", ${microseconds('f.updated_at')} AS "updatedAt",
  f.default_variant_id AS "defaultVariantId", (
    SELECT json_agg(${variantColumns} ORDER BY v.position)
      FROM resource.variants AS v
     WHERE v.namespace_key = f.namespace_key AND v.flag_key = f.key) AS variants`

interface FlagRow
  extends Pick<Flag, 'key' | 'name' | 'description' | 'enabled' | 'type' | 'namespaceKey'> {
  readonly metadata: NonNullable<Flag['metadata']> | null
  readonly createdAt: number
  readonly updatedAt: number
  readonly defaultVariantId: string | null
  readonly variants: readonly VariantRow[] | null
}

function toFlag(row: FlagRow): Flag {
  const { key, namespaceKey, defaultVariantId, metadata } = row
  const names = { namespaceKey, flagKey: key }
  const variants = row.variants?.map((variant) => toVariant(names, variant)) ?? []
  const defaultVariant = defaultVariantId && variants.find(({ id }) => id === defaultVariantId)
  return {
    key,
    name: row.name,
    description: row.description,
    enabled: row.enabled,
    createdAt: toInstant(row.createdAt),
    updatedAt: toInstant(row.updatedAt),
    variants,
    namespaceKey,
    type: row.type,
    ...(defaultVariant ? { defaultVariant } : {}),
    ...(metadata === null ? {} : { metadata }),
  }
}

export const flagOrder = ['position']

export function listFlags(db: Queryable, namespaceKey: string, page: Page): Promise<PageOf<Flag>> {
  const query: ListQuery<FlagRow, Flag> = {
    from: ['resource.flags', 'f'],
    where: 'f.namespace_key = $1',
    columns: flagColumns,
    bytes: 'f.held_bytes',
    order: flagOrder,
    values: [namespaceKey],
    isNamespaceList: true,
    toMessage: toFlag,
    messageType: Flag,
  }
  return readPage(db, query, page)
}

/** Those of the flags that exist, each with the revision of its last change. */
export async function readFlags(
  tx: Queryable,
  namespaceKey: string,
  keys: readonly string[],
): Promise<{ revision: number; flag: Flag }[]> {
  const rows = await tx.query<FlagRow & { revision: number }>(
    `SELECT f.revision, ${flagColumns} FROM resource.flags AS f
      WHERE f.namespace_key = $1 AND f.key = ANY ($2::text[])`,
    [namespaceKey, keys],
  )
  return rows.map((row) => ({ revision: row.revision, flag: toFlag(row) }))
}

/** @throws {AppError} `not_found` when there is none */
export async function getFlag(db: Queryable, namespaceKey: string, key: string): Promise<Flag> {
  const [row] = await db.query<FlagRow>(
    `SELECT ${flagColumns} FROM resource.flags AS f WHERE f.namespace_key = $1 AND f.key = $2`,
    [namespaceKey, key],
  )
  if (row === undefined) throw flagNotFound(namespaceKey, key)
  return toFlag(row)
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
  const rows = await db.query<FlagRow>(
    `INSERT INTO resource.flags AS f
            (namespace_key, key, type, name, description, enabled, metadata)
     VALUES ($1, $2, $3, $4, $5, $6, nullif($7, '')::json)
     RETURNING ${flagColumns}`,
    [namespaceKey, key, type, name, description, enabled, toMetadataText(metadata)],
  )
  return toFlag(onlyRow(rows))
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
  const [row] = await db.query<FlagRow>(
    `UPDATE resource.flags AS f
        SET name = $3, description = $4, enabled = $5, default_variant_id = nullif($6, ''),
            metadata = CASE WHEN $7 THEN nullif($8, '')::json ELSE f.metadata END,
            updated_at = statement_timestamp()
      WHERE f.namespace_key = $1 AND f.key = $2
      RETURNING ${flagColumns}`,
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
  return row && toFlag(row)
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
