import type { Queryable } from '@svc/database'
import type {
  CreateRuleRequest,
  DeleteRuleRequest,
  OrderRulesRequest,
  Rule,
  UpdateRuleRequest,
} from '@svc/proto/resource/v1/rules'
import type { ChangeRecorder } from '../changes/recorder.ts'
import { hasFlag } from '../flags/flags.store.ts'
import { flagNotFound } from '../flags/flags.ts'
import { deleteRanked, putInOrder } from '../ordering.store.ts'
import { rankAfter } from '../ordering.ts'
import { chosenSegments } from '../segments/segment-choice.ts'
import { findMissingSegment } from '../segments/segments.store.ts'
import { explainViolations } from '../violations.ts'
import { getRule, highestRank, insertRuleRow, updateRuleRow } from './rules.store.ts'
import { ruleNotFound, ruleParentsNotFound } from './rules.ts'

export async function createRule(
  tx: Queryable,
  change: ChangeRecorder,
  request: CreateRuleRequest,
): Promise<Rule> {
  const { namespaceKey, flagKey } = request
  const missing = await findMissingSegment(tx, namespaceKey, chosenSegments(request))
  if (missing !== undefined) throw ruleParentsNotFound(request, missing)
  const rank = request.rank || rankAfter(await highestRank(tx, namespaceKey, flagKey))
  const id = await explainViolations(insertRuleRow(tx, { ...request, rank }), {
    flag_exists: () => ruleParentsNotFound(request),
  })
  change.changed('flag', flagKey)
  return getRule(tx, namespaceKey, flagKey, id)
}

export async function updateRule(
  tx: Queryable,
  change: ChangeRecorder,
  request: UpdateRuleRequest,
): Promise<Rule> {
  const { namespaceKey, flagKey, id } = request
  await explainViolations(updateRuleRow(tx, request), {
    segment_exists: () => ruleNotFound(namespaceKey, id),
  })
  change.changed('flag', flagKey)
  return getRule(tx, namespaceKey, flagKey, id)
}

export async function orderRules(
  tx: Queryable,
  change: ChangeRecorder,
  request: OrderRulesRequest,
): Promise<Record<string, never>> {
  const { namespaceKey, flagKey, ruleIds } = request
  if (!(await hasFlag(tx, namespaceKey, flagKey))) throw flagNotFound(namespaceKey, flagKey)
  await putInOrder(tx, 'rules', request, 'ruleIds', ruleIds)
  change.changed('flag', flagKey)
  return {}
}

export async function deleteRule(
  tx: Queryable,
  change: ChangeRecorder,
  request: DeleteRuleRequest,
): Promise<void> {
  if (await deleteRanked(tx, 'rules', request)) change.changed('flag', request.flagKey)
}
