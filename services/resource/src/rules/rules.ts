import type {
  CreateRuleRequest,
  DeleteRuleRequest,
  ListRulesRequest,
  OrderRulesRequest,
  UpdateRuleRequest,
} from '@svc/proto/resource/v1/rules'
import { type AppError, notFound } from '@svc/runtime'
import { checkKey, checkPresent, inNamespace } from '../fields.ts'
import { checkOrder, checkRank } from '../ordering.ts'
import { chosenSegments, type SegmentChoice, toSegmentChoice } from '../segments/segment-choice.ts'

export function checkRuleList(request: ListRulesRequest): ListRulesRequest {
  const list = inNamespace(request)
  checkKey('flagKey', list.flagKey)
  return list
}

export function checkRuleName<T extends DeleteRuleRequest>(request: T): T {
  const rule = inNamespace(request)
  checkPresent('id', rule.id)
  checkKey('flagKey', rule.flagKey)
  return rule
}

export function checkRuleCreation(request: CreateRuleRequest): CreateRuleRequest {
  const rule = inNamespace(request)
  checkKey('flagKey', rule.flagKey)
  const choice = toSegmentChoice(rule)
  checkRank(rule.rank)
  return { ...rule, ...choice }
}

export function checkRuleUpdate(request: UpdateRuleRequest): UpdateRuleRequest {
  const rule = checkRuleName(request)
  return { ...rule, ...toSegmentChoice(rule) }
}

export function checkRuleOrder(request: OrderRulesRequest): OrderRulesRequest {
  const order = inNamespace(request)
  checkKey('flagKey', order.flagKey)
  checkOrder('ruleIds', order.ruleIds)
  return order
}

export function ruleNotFound(namespaceKey: string, id: string): AppError {
  return notFound('rule', `rule "${namespaceKey}/${id}" not found`)
}

/** @param segmentKey the one that is missing, unless it is the flag */
export function ruleParentsNotFound(
  { namespaceKey, flagKey, ...choice }: SegmentChoice & { namespaceKey: string; flagKey: string },
  segmentKey = chosenSegments(choice)[0],
): AppError {
  const [flag, segment] = [`${namespaceKey}/${flagKey}`, `${namespaceKey}/${segmentKey}`]
  return notFound('rule_parents', `flag "${flag}" or segment "${segment}" not found`)
}
