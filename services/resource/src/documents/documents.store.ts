import type { Queryable } from '@svc/database'
import type { DocumentOf, Kind } from '@svc/documents'
import type { ConstraintDocument, RolloutDocument } from '@svc/proto/resource/v1/documents'

/** A document and the revision of the last change to it. */
export interface Stored<K extends Kind = Kind> {
  readonly key: string
  readonly revision: number
  readonly document: DocumentOf[K]
}

interface Row<Own> {
  readonly key: string
  readonly revision: number
  readonly own: Own
}

/**
 * Reads what is stored as documents, each kind by one prepared statement. The order is not defined, and
 * what does not exist is left out.
 *
 * @param keys of a namespace's settings, its own key
 */
export async function readDocuments<K extends Kind>(
  tx: Queryable,
  namespaceKey: string,
  kind: K,
  keys: readonly string[],
): Promise<Stored<K>[]> {
  const { sql, toDocument } = readers[kind]
  const rows = await tx.query<Row<never>>(sql, [namespaceKey, keys], { isRead: true })
  return rows.map(({ key, revision, own }) => ({ key, revision, document: toDocument(key, own) }))
}

interface Reader<K extends Kind, Own> {
  readonly sql: string
  toDocument(key: string, own: Own): DocumentOf[K]
}

function reader<K extends Kind, Own>(_kind: K, one: Reader<K, Own>): Reader<K, never> {
  return one
}

/** Rows in the order of their creation, or `null` for none. */
type Rows<Element extends unknown[]> = Element[] | null

type Variant = [id: string, key: string, name: string, description: string, attachment: string]
type FlagRow = [
  ...fields: [type: DocumentOf['flag']['type'], name: string, description: string, boolean],
  metadata: DocumentOf['flag']['metadata'] | null,
  variants: Rows<[...Variant, isDefault: boolean | null]>,
  rules: Rows<[id: string, operator: Operator, segments: string[] | null, Rows<Distribution>]>,
  rollouts: Rows<Rollout>,
]
type Operator = 'OR_SEGMENT_OPERATOR' | 'AND_SEGMENT_OPERATOR'
type Distribution = [id: string, variant: string, rollout: number]
type Rollout = [
  ...fields: [id: string, description: string, value: boolean, percentage: number | null],
  operator: Operator | null,
  segments: string[] | null,
]

/**
 * SQL of the namespace. The planner must not see its key: it takes a new namespace, which its statistics do
 * not know, for an empty one, and with that any index for as good as the right one.
 */
const namespace = '(SELECT $1::text)'

const isOwn = (table: string) =>
  `${table}.namespace_key = f.namespace_key AND ${table}.flag_key = f.key`

/** SQL of the segments of a rule or rollout, in their order. */
const segmentsOf = (kind: 'rule' | 'rollout', table: string) =>
  `(SELECT json_agg(s.segment_key ORDER BY s.place) FROM resource.${kind}_segments AS s
     WHERE ${isOwn('s')} AND s.${kind}_id = ${table}.id)`

// Arrays, for they take a third of the time of objects.
const flagReader = reader('flag', {
  sql: `
    SELECT f.key, f.revision, json_build_array(
             f.type, f.name, f.description, f.enabled, f.metadata,
             (SELECT json_agg(json_build_array(v.id, v.key, v.name, v.description, v.attachment,
                                               v.id = f.default_variant_id) ORDER BY v.position)
                FROM resource.variants AS v WHERE ${isOwn('v')}),
             (SELECT json_agg(json_build_array(
                       r.id, r.segment_operator, ${segmentsOf('rule', 'r')},
                       (SELECT json_agg(json_build_array(d.id, v.key, d.rollout) ORDER BY d.position)
                          FROM resource.distributions AS d
                          JOIN resource.variants AS v ON ${isOwn('v')} AND v.id = d.variant_id
                         WHERE ${isOwn('d')} AND d.rule_id = r.id)) ORDER BY r.rank, r.position)
                FROM resource.rules AS r WHERE ${isOwn('r')}),
             (SELECT json_agg(json_build_array(o.id, o.description, o.value, o.percentage,
                                o.segment_operator, ${segmentsOf('rollout', 'o')}) ORDER BY o.rank)
                FROM resource.rollouts AS o WHERE ${isOwn('o')})) AS own
      FROM resource.flags AS f
     WHERE f.namespace_key = ${namespace} AND f.key = ANY ($2::text[])`,
  toDocument(key, [type, name, description, enabled, metadata, ...parts]: FlagRow) {
    const [variants, rules, rollouts] = parts
    return {
      ...{ key, type, name, description, enabled },
      ...(metadata && { metadata }),
      variants: (variants ?? []).map(([id, key, name, description, attachment, isDefault]) => ({
        ...{ id, key, name, description, attachment },
        default: isDefault === true,
      })),
      rules: (rules ?? []).map(([id, operator, segments, distributions]) => ({
        id,
        segments: segments ?? [],
        operator,
        distributions: (distributions ?? []).map(([id, variant, rollout]) => ({
          ...{ id, variant, rollout },
        })),
      })),
      rollouts: (rollouts ?? []).map(toRollout),
    }
  },
})

function toRollout([id, description, value, percentage, ...choice]: Rollout): RolloutDocument {
  if (percentage !== null) return { id, description, threshold: { percentage, value } }
  const [operator, segments] = choice
  const segment = {
    segments: segments ?? [],
    operator: operator ?? 'OR_SEGMENT_OPERATOR',
    value,
  }
  return { id, description, segment }
}

type SegmentRow = [
  ...fields: [name: string, description: string, DocumentOf['segment']['matchType']],
  constraints: Rows<
    [
      ...fields: [id: string, type: ConstraintDocument['type'], property: string, operator: string],
      ...more: [value: string, description: string],
    ]
  >,
]

const segmentReader = reader('segment', {
  sql: `
    SELECT s.key, s.revision, json_build_array(
             s.name, s.description, s.match_type,
             (SELECT json_agg(json_build_array(c.id, c.type, c.property, c.operator, c.value,
                                               c.description) ORDER BY c.position)
                FROM resource.constraints AS c
               WHERE c.namespace_key = s.namespace_key AND c.segment_key = s.key)) AS own
      FROM resource.segments AS s
     WHERE s.namespace_key = ${namespace} AND s.key = ANY ($2::text[])`,
  toDocument: (key, [name, description, matchType, constraints]: SegmentRow) => ({
    ...{ key, name, description, matchType },
    constraints: (constraints ?? []).map(([id, type, property, operator, value, description]) => ({
      ...{ id, type, property, operator, value, description },
    })),
  }),
})

/** SQL: the revision of a namespace's settings, or a later one where a process of the release before wrote. */
export const settingsRevision =
  'CASE settings_revision WHEN 0 THEN revision ELSE settings_revision END'

const settingsReader = reader('namespace', {
  sql: `
    SELECT key, ${settingsRevision} AS revision,
           json_build_array(name, description, color, confirm) AS own
      FROM resource.namespaces WHERE key = $1 AND key = ANY ($2::text[])`,
  toDocument: (_key, [name, description, color, confirm]: [string, string, string, boolean]) => ({
    ...{ name, description, color, confirm },
  }),
})

const readers: { readonly [K in Kind]: Reader<K, never> } = {
  flag: flagReader,
  segment: segmentReader,
  namespace: settingsReader,
}
