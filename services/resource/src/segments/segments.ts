import type { Caller } from '@svc/access'
import type { Database, Queryable } from '@svc/database'
import { fieldRules } from '@svc/proto/field-rules'
import { Segment, type SegmentServiceDefinition } from '@svc/proto/resource/v1/segments'
import type { Handlers } from '@svc/rpc'
import { invalidArgument } from '@svc/runtime'
import { changeHandler, deletionHandler, getHandler, listHandler } from '../changes/handlers.ts'
import { byKey } from '../changes/record-of.ts'
import { useCasesOf } from '../changes/use-cases.ts'
import { constraints } from '../constraints/constraints.ts'
import { recordNotFound, recordNotUnique } from '../records/errors.ts'
import { type RowOf, withInstants } from '../records/instants.ts'
import { containedIn } from '../records/list-query.ts'
import { type OwnedRows, type Summary, Table } from '../records/table.ts'

type SegmentRow = RowOf<Omit<Segment, 'constraints' | 'usedBy' | 'matchesEveryone'>> & {
  readonly constraints: OwnedRows
}

/** SQL of the keys of the flags that have parts of a segment in this table. */
const usersIn = (table: string) =>
  `SELECT u.flag_key FROM resource.${table} AS u
    WHERE u.namespace_key = segments.namespace_key AND u.segment_key = segments.key`

const hasConstraints = `EXISTS (
  SELECT FROM resource.constraints AS c
   WHERE c.namespace_key = segments.namespace_key AND c.segment_key = segments.key)`

const summary: Summary<Segment, [usedBy: number, matchesEveryone: boolean]> = {
  sql: `json_build_array(
    (SELECT count(*) FROM (${usersIn('rule_segments')} UNION ${usersIn('rollout_segments')}) AS flag),
    NOT ${hasConstraints})`,
  toMembers: ([usedBy, matchesEveryone]) => ({ usedBy, matchesEveryone }),
}

export const segments = new Table<SegmentRow, Segment>({
  kind: 'segment',
  key: ['namespaceKey', 'key'],
  fields: ['name', 'description', 'matchType'],
  more: [
    constraints.ownedBy('namespace_key = segments.namespace_key AND segment_key = segments.key'),
  ],
  revision: 'segments.revision',
  toMessage(row) {
    const owner = { namespaceKey: row.namespaceKey, segmentKey: row.key }
    return { ...withInstants(row), constraints: constraints.fromOwner(owner, row.constraints) }
  },
  list: {
    order: ['position'],
    filters: { q: containedIn('key', 'name', 'description') },
    bytes: 'held_bytes',
    isNamespaceList: true,
    messageType: Segment,
  },
  summary,
})

/** @returns the first of the keys that is the key of no segment */
export async function findMissingSegment(
  db: Queryable,
  namespaceKey: string,
  keys: readonly string[],
): Promise<string | undefined> {
  const [missing] = await db.query<{ key: string }>(
    `SELECT wanted.key
       FROM unnest($2::text[]) WITH ORDINALITY AS wanted (key, place)
      WHERE NOT EXISTS (
              SELECT FROM resource.segments WHERE namespace_key = $1 AND key = wanted.key)
      ORDER BY wanted.place LIMIT 1`,
    [namespaceKey, keys],
  )
  return missing?.key
}

const recordOf = byKey('segment')

export const segmentUseCases = useCasesOf<SegmentServiceDefinition>(segments, {
  recordOf,
  violations: ({ namespaceKey, key }) => ({
    segment_is_unique: () => recordNotUnique('segment', namespaceKey, key),
    segment_exists: () => invalidArgument(`segment "${namespaceKey}/${key}" is in use`),
  }),
  notFound: ({ namespaceKey, key }) => recordNotFound('segment', namespaceKey, key),
})

export function segmentHandlers(db: Database) {
  const { create, update, remove } = segmentUseCases
  return {
    listSegments: listHandler(db, fieldRules.ListSegmentsRequest, segments, (segments) => ({
      segments,
    })),
    getSegment: getHandler(db, fieldRules.GetSegmentRequest, segments),
    createSegment: changeHandler(db, fieldRules.CreateSegmentRequest, recordOf, create),
    updateSegment: changeHandler(db, fieldRules.UpdateSegmentRequest, recordOf, update),
    deleteSegment: deletionHandler(db, fieldRules.DeleteSegmentRequest, recordOf, remove),
  } satisfies Handlers<SegmentServiceDefinition, Caller>
}
