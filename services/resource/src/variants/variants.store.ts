import type { Queryable } from '@svc/database'
import type {
  CreateVariantRequest,
  DeleteVariantRequest,
  UpdateVariantRequest,
  Variant,
} from '@svc/proto/resource/v1/variants'
import { onlyRow } from '../rows.ts'

/** The message of a variant `v`. */
export const variantJson = `json_build_object(
  'id', v.id,
  'flagKey', v.flag_key,
  'key', v.key,
  'name', v.name,
  'description', v.description,
  'createdAt', resource.instant(v.created_at),
  'updatedAt', resource.instant(v.updated_at),
  'attachment', v.attachment,
  'namespaceKey', v.namespace_key)`

interface Row {
  variant: Variant
}

/** @throws {ConstraintViolation} of `flag_exists` or `variant_is_unique` */
export async function insertVariantRow(
  db: Queryable,
  { namespaceKey, flagKey, key, name, description, attachment }: CreateVariantRequest,
): Promise<Variant> {
  const rows = await db.query<Row>(
    `INSERT INTO resource.variants AS v
            (namespace_key, flag_key, key, name, description, attachment)
     VALUES ($1, $2, $3, $4, $5, $6)
     RETURNING ${variantJson} AS variant`,
    [namespaceKey, flagKey, key, name, description, attachment],
  )
  return onlyRow(rows).variant
}

/**
 * An empty key leaves the key as it is.
 *
 * @returns the variant as it now is, or `undefined` when there is none to update
 * @throws {ConstraintViolation} of `variant_is_unique`
 */
export async function updateVariantRow(
  db: Queryable,
  { namespaceKey, flagKey, id, key, name, description, attachment }: UpdateVariantRequest,
): Promise<Variant | undefined> {
  const [row] = await db.query<Row>(
    `UPDATE resource.variants AS v
        SET key = coalesce(nullif($4, ''), v.key), name = $5, description = $6, attachment = $7,
            updated_at = statement_timestamp()
      WHERE v.namespace_key = $1 AND v.flag_key = $2 AND v.id = $3
      RETURNING ${variantJson} AS variant`,
    [namespaceKey, flagKey, id, key, name, description, attachment],
  )
  return row?.variant
}

/** With the distributions that serve it. @returns whether there was one */
export async function deleteVariantRow(
  db: Queryable,
  { namespaceKey, flagKey, id }: DeleteVariantRequest,
): Promise<boolean> {
  const rows = await db.query(
    `DELETE FROM resource.variants
      WHERE namespace_key = $1 AND flag_key = $2 AND id = $3 RETURNING id`,
    [namespaceKey, flagKey, id],
  )
  return rows.length > 0
}
