import type { Queryable } from '@svc/database'
import { type CreateRuleRequest, Rule, type UpdateRuleRequest } from '@svc/proto/resource/v1/rules'
import {
  type DistributionRow,
  distributionColumns,
  toDistribution,
} from '../distributions/distributions.store.ts'
import { microseconds, toInstant } from '../instants.ts'
import { type ListQuery, type Page, type PageOf, readPage } from '../lists/paging.ts'
import { onlyRow } from '../rows.ts'
import { chosenSegments, presentSegments } from '../segments/segment-choice.ts'
import { ruleNotFound } from './rules.ts'

/** A rule `r` with its distributions: what every reader of rules selects. */
const ruleColumns = `
  r.id, r.flag_key AS "flagKey", r.rank, r.namespace_key AS "namespaceKey",
  r.segment_operator AS "segmentOperator",
  ${microseconds('r.created_at')} AS "createdAt", ${microseconds('r.updated_at')} AS "updatedAt", (
    SELECT json_agg(${distributionColumns} ORDER BY d.position)
      FROM resource.distributions AS d
     WHERE d.namespace_key = r.namespace_key AND d.flag_key = r.flag_key
       AND d.rule_id = r.id) AS distributions, (
    SELECT json_agg(s.segment_key ORDER BY s.place)
      FROM resource.rule_segments AS s
     WHERE s.namespace_key = r.namespace_key AND s.flag_key = r.flag_key
       AND s.rule_id = r.id) AS segments`

interface RuleRow
  extends Pick<Rule, 'id' | 'flagKey' | 'rank' | 'namespaceKey' | 'segmentOperator'> {
  readonly createdAt: number
  readonly updatedAt: number
  readonly distributions: readonly DistributionRow[] | null
  readonly segments: string[] | null
}

function toRule(row: RuleRow): Rule {
  const { id, flagKey, rank, namespaceKey, segmentOperator } = row
  return {
    id,
    flagKey,
    distributions: row.distributions?.map((share) => toDistribution(id, share)) ?? [],
    rank,
    createdAt: toInstant(row.createdAt),
    updatedAt: toInstant(row.updatedAt),
    namespaceKey,
    segmentOperator,
    ...presentSegments(row.segments ?? []),
  }
}

/** Rules of one rank are tried in the order of their creation. */
export const ruleOrder = ['rank', 'position']

export function listRules(
  db: Queryable,
  namespaceKey: string,
  flagKey: string,
  page: Page,
): Promise<PageOf<Rule>> {
  const query: ListQuery<RuleRow, Rule> = {
    from: ['resource.rules', 'r'],
    where: 'r.namespace_key = $1 AND r.flag_key = $2',
    columns: ruleColumns,
    // Nothing in it is long, and what a flag has in it is bounded.
    bytes: '0',
    isNamespaceList: false,
    order: ruleOrder,
    values: [namespaceKey, flagKey],
    toMessage: toRule,
    messageType: Rule,
  }
  return readPage(db, query, page)
}

/** The rules of flags, by flag and then in their order. */
export async function readRules(
  tx: Queryable,
  namespaceKey: string,
  flagKeys: readonly string[],
): Promise<Rule[]> {
  const rows = await tx.query<RuleRow>(
    `SELECT ${ruleColumns} FROM resource.rules AS r
      WHERE r.namespace_key = $1 AND r.flag_key = ANY ($2::text[])
      ORDER BY r.flag_key, r.rank, r.position`,
    [namespaceKey, flagKeys],
  )
  return rows.map(toRule)
}

/** @throws {AppError} `not_found` when the flag has no such rule */
export async function getRule(
  db: Queryable,
  namespaceKey: string,
  flagKey: string,
  id: string,
): Promise<Rule> {
  const [row] = await db.query<RuleRow>(
    `SELECT ${ruleColumns} FROM resource.rules AS r
      WHERE r.namespace_key = $1 AND r.flag_key = $2 AND r.id = $3`,
    [namespaceKey, flagKey, id],
  )
  if (row === undefined) throw ruleNotFound(namespaceKey, id)
  return toRule(row)
}

/** The highest rank among the rules of a flag; `undefined` when it has none. */
export async function highestRank(
  db: Queryable,
  namespaceKey: string,
  flagKey: string,
): Promise<number | undefined> {
  const rows = await db.query<{ rank: number | null }>(
    'SELECT max(rank) AS rank FROM resource.rules WHERE namespace_key = $1 AND flag_key = $2',
    [namespaceKey, flagKey],
  )
  return onlyRow(rows).rank ?? undefined
}

/**
 * @returns the id of the rule
 * @throws {ConstraintViolation} of `flag_exists` or `segment_exists`
 */
export async function insertRuleRow(
  db: Queryable,
  { namespaceKey, flagKey, rank, segmentOperator, ...choice }: CreateRuleRequest,
): Promise<string> {
  const rows = await db.query<{ id: string }>(
    `WITH rule AS (
       INSERT INTO resource.rules (namespace_key, flag_key, rank, segment_operator)
       VALUES ($1, $2, $3, $4) RETURNING id),
     segments AS (
       INSERT INTO resource.rule_segments (namespace_key, flag_key, rule_id, segment_key, place)
       SELECT $1, $2, rule.id, wanted.key, wanted.place
         FROM rule, unnest($5::text[]) WITH ORDINALITY AS wanted (key, place))
     SELECT id FROM rule`,
    [namespaceKey, flagKey, rank, segmentOperator, chosenSegments(choice)],
  )
  return onlyRow(rows).id
}

/** @throws {ConstraintViolation} of `segment_exists` */
export async function updateRuleRow(
  db: Queryable,
  { namespaceKey, flagKey, id, segmentOperator, ...choice }: UpdateRuleRequest,
): Promise<void> {
  const rule = [namespaceKey, flagKey, id]
  await db.query(
    `DELETE FROM resource.rule_segments
      WHERE namespace_key = $1 AND flag_key = $2 AND rule_id = $3`,
    rule,
  )
  await db.query(
    `WITH rule AS (
       UPDATE resource.rules SET segment_operator = $4, updated_at = statement_timestamp()
        WHERE namespace_key = $1 AND flag_key = $2 AND id = $3 RETURNING id)
     INSERT INTO resource.rule_segments (namespace_key, flag_key, rule_id, segment_key, place)
     SELECT $1, $2, rule.id, wanted.key, wanted.place
       FROM rule, unnest($5::text[]) WITH ORDINALITY AS wanted (key, place)`,
    [...rule, segmentOperator, chosenSegments(choice)],
  )
}
