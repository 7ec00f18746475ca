import type { Queryable } from '@svc/database'
import type {
  Constraint,
  CreateConstraintRequest,
  DeleteConstraintRequest,
  UpdateConstraintRequest,
} from '@svc/proto/resource/v1/constraints'
import { onlyRow } from '../rows.ts'

/** The message of a constraint `c`. */
export const constraintJson = `json_build_object(
  'id', c.id,
  'segmentKey', c.segment_key,
  'type', c.type,
  'property', c.property,
  'operator', c.operator,
  'value', c.value,
  'createdAt', resource.instant(c.created_at),
  'updatedAt', resource.instant(c.updated_at),
  'namespaceKey', c.namespace_key,
  'description', c.description)`

interface Row {
  constraint: Constraint
}

/** @throws {ConstraintViolation} of `segment_exists` */
export async function insertConstraintRow(
  db: Queryable,
  { namespaceKey, segmentKey, ...constraint }: CreateConstraintRequest,
): Promise<Constraint> {
  const { type, property, operator, value, description } = constraint
  const rows = await db.query<Row>(
    `INSERT INTO resource.constraints AS c
            (namespace_key, segment_key, type, property, operator, value, description)
     VALUES ($1, $2, $3, $4, $5, $6, $7)
     RETURNING ${constraintJson} AS constraint`,
    [namespaceKey, segmentKey, type, property, operator, value, description],
  )
  return onlyRow(rows).constraint
}

/** @returns the constraint as it now is, or `undefined` when there is none to update */
export async function updateConstraintRow(
  db: Queryable,
  { namespaceKey, segmentKey, id, ...constraint }: UpdateConstraintRequest,
): Promise<Constraint | undefined> {
  const { type, property, operator, value, description } = constraint
  const [row] = await db.query<Row>(
    `UPDATE resource.constraints AS c
        SET type = $4, property = $5, operator = $6, value = $7, description = $8,
            updated_at = statement_timestamp()
      WHERE c.namespace_key = $1 AND c.segment_key = $2 AND c.id = $3
      RETURNING ${constraintJson} AS constraint`,
    [namespaceKey, segmentKey, id, type, property, operator, value, description],
  )
  return row?.constraint
}

/** @returns whether there was one */
export async function deleteConstraintRow(
  db: Queryable,
  { namespaceKey, segmentKey, id }: DeleteConstraintRequest,
): Promise<boolean> {
  const rows = await db.query(
    `DELETE FROM resource.constraints
      WHERE namespace_key = $1 AND segment_key = $2 AND id = $3 RETURNING id`,
    [namespaceKey, segmentKey, id],
  )
  return rows.length > 0
}
