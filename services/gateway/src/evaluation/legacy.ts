import { AppError, invalidField } from '@svc/runtime'
import type { Replica } from '../replica/replica.ts'
import { answerVariant, limitAttachments, requestIdOf, startMoment } from './answers.ts'
import type { Endpoint } from './endpoints.ts'
import {
  type EvaluationRequest,
  readEvaluationRequest,
  readFlag,
  readItems,
  readText,
  resolveNamespace,
} from './request.ts'

/** The older answer: one shape for the question and what came of it. */
function toLegacyAnswer(
  replica: Replica,
  request: EvaluationRequest,
  namespaceKey: string,
  requestId: string,
) {
  const { entityId, flagKey, context } = request
  const evaluation = answerVariant(replica, request)
  return {
    requestId,
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

export const legacyEvaluateEndpoint: Endpoint = (body) => {
  const request = readEvaluationRequest(body)
  return {
    namespaceKeys: [resolveNamespace(request.namespaceKey)],
    answer(replica) {
      if (request.flagKey === '') throw invalidField('flagKey', 'must not be empty')
      if (request.entityId === '') throw invalidField('entityId', 'must not be empty')
      const moment = startMoment()
      const requestId = requestIdOf(request)
      return { ...toLegacyAnswer(replica, request, request.namespaceKey, requestId), ...moment() }
    },
  }
}

export const legacyBatchEvaluateEndpoint: Endpoint = (body) => {
  const requestId = readText(body, 'requestId', 'request_id')
  const namespaceKey = resolveNamespace(readText(body, 'namespaceKey', 'namespace_key'))
  const excludeNotFound = readFlag(body, 'excludeNotFound', 'exclude_not_found')
  const items = readItems(body).map(readEvaluationRequest)
  return {
    namespaceKeys: items.map((item) => item.namespaceKey || namespaceKey),
    answer(replica) {
      if (items.some((item) => item.namespaceKey !== '' && item.namespaceKey !== namespaceKey)) {
        throw invalidField('namespace_key', 'must be the same for all requests if specified')
      }
      const moment = startMoment()
      const count = limitAttachments()
      const evaluated = items.flatMap((item) => {
        try {
          const answer = toLegacyAnswer(replica, { ...item, namespaceKey }, namespaceKey, '')
          count(answer.attachment)
          return answer
        } catch (error) {
          const isMissing = error instanceof AppError && error.code === 'not_found'
          if (excludeNotFound && isMissing) return []
          throw error
        }
      })
      const { timestamp, requestDurationMillis } = moment()
      return {
        requestId: requestIdOf({ requestId }),
        responses: evaluated.map((answer) => ({ ...answer, timestamp, requestDurationMillis: 0 })),
        requestDurationMillis,
      }
    },
  }
}
