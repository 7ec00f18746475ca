import { checkFields } from '@svc/contract'
import { evaluateVariant, toEntity } from '@svc/evaluation'
import { fieldRules } from '@svc/proto/field-rules'
import { AppError, invalidField } from '@svc/runtime'
import type { Replica } from '../../replica/replica.ts'
import { findFlag, limitTexts, limitTime } from './answers.ts'
import { noteOnSpan } from './evaluation-span.ts'
import { noteDuration, noteEvaluation } from './measures.ts'
import type { Prepare } from './prepared.ts'
import {
  type EvaluationRequest,
  readEvaluationRequest,
  readFlag,
  readItems,
  readText,
  resolveNamespace,
} from './request.ts'
import { timingSince } from './timing.ts'

/** The older answer: one shape for the request and its evaluation. */
function toLegacyAnswer(
  replica: Replica,
  request: EvaluationRequest,
  namespaceKey: string,
  isOnlyOne: boolean,
) {
  const { entityId, flagKey, context } = request
  const flag = findFlag(replica, request, 'VARIANT_FLAG_TYPE')
  const entity = toEntity(entityId, context)
  const evaluation = evaluateVariant(flag, entity)
  const evaluated = { namespaceKey: resolveNamespace(namespaceKey), flag, entity, evaluation }
  noteOnSpan(evaluated, isOnlyOne)
  noteEvaluation(resolveNamespace(request.namespaceKey), flagKey, flag.type, evaluation.reason)
  return {
    entityId,
    requestContext: context,
    match: evaluation.match,
    flagKey,
    segmentKey: evaluation.segmentKeys[0] ?? '',
    value: evaluation.variantKey,
    attachment: evaluation.variantAttachment,
    reason: evaluation.reason,
    namespaceKey,
    segmentKeys: evaluation.segmentKeys,
  }
}

const { flagKey, entityId } = fieldRules.LegacyEvaluateRequest
const requiredFields = { flagKey, entityId }

export const prepareLegacy: Prepare = (body) => {
  const request = readEvaluationRequest(body)
  return {
    namespaceKeys: [resolveNamespace(request.namespaceKey)],
    evaluate(replica, id) {
      checkFields(requiredFields, request)
      const startedAt = performance.now()
      const answer = toLegacyAnswer(replica, request, request.namespaceKey, true)
      const { timestamp, durationMillis } = timingSince(startedAt)
      noteDuration(durationMillis, 1)
      return JSON.stringify({
        requestId: request.requestId || id,
        ...answer,
        timestamp,
        requestDurationMillis: durationMillis,
      })
    },
  }
}

export const prepareLegacyBatch: Prepare = (body) => {
  const requestId = readText(body, 'requestId', 'request_id')
  const namespaceKey = resolveNamespace(readText(body, 'namespaceKey', 'namespace_key'))
  const excludeNotFound = readFlag(body, 'excludeNotFound', 'exclude_not_found')
  const items = readItems(body).map(readEvaluationRequest)
  return {
    namespaceKeys: items.map((item) => item.namespaceKey || namespaceKey),
    evaluate(replica, id) {
      if (items.some((item) => item.namespaceKey !== '' && item.namespaceKey !== namespaceKey)) {
        throw invalidField('namespace_key', 'must be the same for all requests if specified')
      }
      const startedAt = performance.now()
      const count = limitTexts()
      const checkTime = limitTime()
      const evaluated = items.flatMap((item) => {
        try {
          const answer = toLegacyAnswer(replica, { ...item, namespaceKey }, namespaceKey, false)
          count(answer.segmentKeys, answer.attachment)
          checkTime()
          return answer
        } catch (error) {
          const isMissing = error instanceof AppError && error.code === 'not_found'
          if (excludeNotFound && isMissing) return []
          throw error
        }
      })
      const { timestamp, durationMillis } = timingSince(startedAt)
      noteDuration(durationMillis, items.length)
      const same = { requestId: '', timestamp, requestDurationMillis: 0 }
      return JSON.stringify({
        requestId: requestId || id,
        responses: evaluated.map((answer) => ({ ...answer, ...same })),
        requestDurationMillis: durationMillis,
      })
    },
  }
}
