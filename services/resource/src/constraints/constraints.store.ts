import type { Queryable } from '@svc/database'
import type {
  Constraint,
  CreateConstraintRequest,
  DeleteConstraintRequest,
  UpdateConstraintRequest,
} from '@svc/proto/resource/v1/constraints'
import { microseconds, toInstant } from '../instants.ts'
import { onlyRow } from '../rows.ts'

/** A constraint `c` as a JSON array. */
export const constraintColumns = `json_build_array(c.id, c.type, c.property, c.operator, c.value,
  c.description, ${microseconds('c.created_at')}, ${microseconds('c.updated_at')})`

export type ConstraintRow = readonly [
  id: string,
  type: Constraint['type'],
  property: string,
  operator: string,
  value: string,
  description: string,
  createdAt: number,
  updatedAt: number,
]

export function toConstraint(
  { namespaceKey, segmentKey }: Pick<Constraint, 'namespaceKey' | 'segmentKey'>,
  [id, type, property, operator, value, description, createdAt, updatedAt]: ConstraintRow,
): Constraint {
  return {
    id,
    segmentKey,
    type,
    property,
    operator,
    value,
    createdAt: toInstant(createdAt),
    updatedAt: toInstant(updatedAt),
    namespaceKey,
    description,
  }
}

interface Row {
  constraint: ConstraintRow
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
     RETURNING ${constraintColumns} AS constraint`,
    [namespaceKey, segmentKey, type, property, operator, value, description],
  )
  return toConstraint({ namespaceKey, segmentKey }, onlyRow(rows).constraint)
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
      RETURNING ${constraintColumns} AS constraint`,
    [namespaceKey, segmentKey, id, type, property, operator, value, description],
  )
  return row && toConstraint({ namespaceKey, segmentKey }, row.constraint)
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
