import type { Context } from '@svc/evaluation'
import { AppError, invalidArgument, invalidField } from '@svc/runtime'
import { answerVariant, limitAttachments, requestIdOf, startMoment } from './answers.ts'
import type { Endpoint } from './endpoints.ts'
import type { Replica } from './replica.ts'
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
    requestContext: context satisfies Context,
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

export const legacyEndpoint: Endpoint<EvaluationRequest> = {
  read: readEvaluationRequest,
  namespaceKeys: ({ namespaceKey }) => [resolveNamespace(namespaceKey)],
  answer(replica, request) {
    if (request.flagKey === '') throw invalidField('flagKey', 'must not be empty')
    if (request.entityId === '') throw invalidField('entityId', 'must not be empty')
    const moment = startMoment()
    const requestId = requestIdOf(request)
    return { ...toLegacyAnswer(replica, request, request.namespaceKey, requestId), ...moment() }
  },
}

interface LegacyBatchRequest {
  readonly requestId: string
  readonly namespaceKey: string
  readonly excludeNotFound: boolean
  readonly items: readonly EvaluationRequest[]
}

export const legacyBatchEndpoint: Endpoint<LegacyBatchRequest> = {
  read: (body) => ({
    requestId: readText(body, 'requestId', 'request_id'),
    namespaceKey: resolveNamespace(readText(body, 'namespaceKey', 'namespace_key')),
    excludeNotFound: readFlag(body, 'excludeNotFound', 'exclude_not_found'),
    items: readItems(body).map(readEvaluationRequest),
  }),
  namespaceKeys: ({ namespaceKey, items }) =>
    items.map((item) => (item.namespaceKey === '' ? namespaceKey : item.namespaceKey)),
  answer(replica, { requestId, namespaceKey, excludeNotFound, items }) {
    if (items.some((item) => item.namespaceKey !== '' && item.namespaceKey !== namespaceKey)) {
      throw invalidArgument(
        'invalid field namespace_key: must be the same for all requests if specified',
      )
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
    const now = moment()
    return {
      requestId: requestIdOf({ requestId }),
      responses: evaluated.map((answer) => ({
        ...answer,
        timestamp: now.timestamp,
        requestDurationMillis: 0,
      })),
      requestDurationMillis: now.requestDurationMillis,
    }
  },
}
