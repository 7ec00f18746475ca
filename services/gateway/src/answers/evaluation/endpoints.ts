import { evaluateBoolean, evaluateVariant, toEntity } from '@svc/evaluation'
import { quote } from '../../http/json-text.ts'
import type { Replica } from '../../replica/replica.ts'
import { answerBoolean, answerVariant, flagsOf, limitAttachments } from './answers.ts'
import { type Moment, momentSince } from './moment.ts'
import {
  type EvaluationRequest,
  type JsonObject,
  readEvaluationRequest,
  readItems,
  readText,
  resolveNamespace,
} from './request.ts'
import { writeBoolean, writeVariant } from './writing.ts'

/** A request that has been read, and waits for its sender to be let through. */
export interface Question {
  /** Resolved; every one of them has to be allowed to the caller. */
  readonly namespaceKeys: readonly string[]
  /**
   * @param id the request's, for the answer to a question that has none of its own
   * @returns JSON
   */
  answer(replica: Replica, id: string): string
}

/** @throws {AppError} `invalid_argument` for a body that makes no question */
export type Endpoint = (body: JsonObject) => Question

export const evaluateBooleanEndpoint: Endpoint = (body) => {
  const request = readEvaluationRequest(body)
  const { namespaceKey, flagKey, requestId } = request
  return {
    namespaceKeys: [resolveNamespace(namespaceKey)],
    answer(replica, id) {
      const startedAt = performance.now()
      const evaluation = answerBoolean(replica, request)
      const asked = { requestId: requestId || id, flagKey }
      return writeBoolean(evaluation, asked, momentSince(startedAt))
    },
  }
}

export const evaluateVariantEndpoint: Endpoint = (body) => {
  const request = readEvaluationRequest(body)
  const { namespaceKey, flagKey, requestId } = request
  return {
    namespaceKeys: [resolveNamespace(namespaceKey)],
    answer(replica, id) {
      const startedAt = performance.now()
      const evaluation = answerVariant(replica, request)
      const asked = { requestId: requestId || id, flagKey }
      return writeVariant(evaluation, asked, momentSince(startedAt))
    },
  }
}

export const evaluateBatchEndpoint: Endpoint = (body) => {
  const requestId = readText(body, 'requestId', 'request_id')
  const items = readItems(body).map(readEvaluationRequest)
  return {
    namespaceKeys: items.map(({ namespaceKey }) => resolveNamespace(namespaceKey)),
    answer(replica, id) {
      const startedAt = performance.now()
      const count = limitAttachments()
      const evaluated = items.map((item) => evaluateItem(replica, item, count))
      const moment = momentSince(startedAt)
      let responses = ''
      for (const item of evaluated) responses += (responses === '' ? '' : ',') + item(moment)
      return (
        `{"requestId":${quote(requestId || id)},"responses":[${responses}],` +
        `"requestDurationMillis":${moment.durationMillis}}`
      )
    },
  }
}

/**
 * Answers a flag of either type by its own type.
 *
 * @returns what writes the answer, once it is known how long all of them took
 */
function evaluateItem(
  replica: Replica,
  request: EvaluationRequest,
  count: (attachment: string) => void,
): (moment: Moment) => string {
  const { namespaceKey, flagKey, entityId, context } = request
  const flag = flagsOf(replica, namespaceKey)?.get(flagKey)
  if (flag === undefined) {
    const reason = 'NOT_FOUND_ERROR_EVALUATION_REASON'
    const errorResponse = { flagKey, namespaceKey, reason }
    return () => JSON.stringify({ type: 'ERROR_EVALUATION_RESPONSE_TYPE', errorResponse })
  }
  if (flag.type === 'BOOLEAN_FLAG_TYPE') {
    const evaluation = evaluateBoolean(flag, toEntity(entityId, context))
    return (moment) => {
      const response = writeBoolean(evaluation, request, moment)
      return `{"type":"BOOLEAN_EVALUATION_RESPONSE_TYPE","booleanResponse":${response}}`
    }
  }
  const evaluation = evaluateVariant(flag, toEntity(entityId, context))
  count(evaluation.variantAttachment)
  return (moment) => {
    const response = writeVariant(evaluation, request, moment)
    return `{"type":"VARIANT_EVALUATION_RESPONSE_TYPE","variantResponse":${response}}`
  }
}
