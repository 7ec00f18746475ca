import { fieldRules } from '@svc/proto/field-rules'
import type { CreateRuleRequest, UpdateRuleRequest } from '@svc/proto/resource/v1/rules'
import { type AppError, notFound } from '@svc/runtime'
import { checkRequest } from '../fields.ts'
import { chosenSegments, type SegmentChoice, toSegmentChoice } from '../segments/segment-choice.ts'

export function checkRuleCreation(request: CreateRuleRequest): CreateRuleRequest {
  const rule = checkRequest(fieldRules.CreateRuleRequest, request)
  return { ...rule, ...toSegmentChoice(rule) }
}

export function checkRuleUpdate(request: UpdateRuleRequest): UpdateRuleRequest {
  const rule = checkRequest(fieldRules.UpdateRuleRequest, request)
  return { ...rule, ...toSegmentChoice(rule) }
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
