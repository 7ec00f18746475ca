import type {
  CreateRuleRequest,
  DeleteRuleRequest,
  OrderRulesRequest,
  Rule,
  UpdateRuleRequest,
} from '@svc/proto/resource/v1/rules'
import type { UseCase } from '../changes/recorder.ts'
import { hasFlag } from '../flags/flags.store.ts'
import { flagNotFound } from '../flags/flags.ts'
import { deleteRanked, putInOrder } from '../ordering.store.ts'
import { rankAfter } from '../ordering.ts'
import { chosenSegments } from '../segments/segment-choice.ts'
import { findMissingSegment } from '../segments/segments.store.ts'
import { explainViolations } from '../violations.ts'
import { getRule, highestRank, insertRuleRow, updateRuleRow } from './rules.store.ts'
import { ruleNotFound, ruleParentsNotFound } from './rules.ts'

export const createRule: UseCase<CreateRuleRequest, Rule> = async (tx, change, request) => {
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

export const updateRule: UseCase<UpdateRuleRequest, Rule> = async (tx, change, request) => {
  const { namespaceKey, flagKey, id } = request
  await explainViolations(updateRuleRow(tx, request), {
    segment_exists: () => ruleNotFound(namespaceKey, id),
  })
  change.changed('flag', flagKey)
  return getRule(tx, namespaceKey, flagKey, id)
}

export const orderRules: UseCase<OrderRulesRequest, Record<string, never>> = async (
  tx,
  change,
  request,
) => {
  const { namespaceKey, flagKey, ruleIds } = request
  if (!(await hasFlag(tx, namespaceKey, flagKey))) throw flagNotFound(namespaceKey, flagKey)
  await putInOrder(tx, 'rules', request, 'ruleIds', ruleIds)
  change.changed('flag', flagKey)
  return {}
}

export const deleteRule: UseCase<DeleteRuleRequest, void> = async (tx, change, request) => {
  if (await deleteRanked(tx, 'rules', request)) change.changed('flag', request.flagKey)
}
