import { evaluateBoolean, evaluateVariant, toEntity } from '@svc/evaluation'
import { quote } from '../../http/json-text.ts'
import type { Replica } from '../../replica/replica.ts'
import { answerBoolean, answerVariant, flagsOf, limitAttachments } from './answers.ts'
import {
  type EvaluationRequest,
  type JsonObject,
  readEvaluationRequest,
  readItems,
  readText,
  resolveNamespace,
} from './request.ts'
import { type Timing, timingSince } from './timing.ts'
import { writeBoolean, writeVariant } from './writing.ts'

/** An evaluation whose request has been read, and whose caller is still to be authorized. */
export interface PreparedEvaluation {
  /** Resolved; every one of them has to be allowed to the caller. */
  readonly namespaceKeys: readonly string[]
  /**
   * @param id the request's, for the answer to a body that has none of its own
   * @returns JSON
   */
  readonly evaluate: (replica: Replica, id: string) => string
}

/** @throws {AppError} `invalid_argument` for a body that does not fit the request message */
export type Prepare = (body: JsonObject) => PreparedEvaluation

export const prepareBoolean: Prepare = (body) => {
  const request = readEvaluationRequest(body)
  const { namespaceKey, flagKey, requestId } = request
  return {
    namespaceKeys: [resolveNamespace(namespaceKey)],
    evaluate(replica, id) {
      const startedAt = performance.now()
      const evaluation = answerBoolean(replica, request)
      const asked = { requestId: requestId || id, flagKey }
      return writeBoolean(evaluation, asked, timingSince(startedAt))
    },
  }
}

export const prepareVariant: Prepare = (body) => {
  const request = readEvaluationRequest(body)
  const { namespaceKey, flagKey, requestId } = request
  return {
    namespaceKeys: [resolveNamespace(namespaceKey)],
    evaluate(replica, id) {
      const startedAt = performance.now()
      const evaluation = answerVariant(replica, request)
      const asked = { requestId: requestId || id, flagKey }
      return writeVariant(evaluation, asked, timingSince(startedAt))
    },
  }
}

export const prepareBatch: Prepare = (body) => {
  const requestId = readText(body, 'requestId', 'request_id')
  const items = readItems(body).map(readEvaluationRequest)
  return {
    namespaceKeys: items.map(({ namespaceKey }) => resolveNamespace(namespaceKey)),
    evaluate(replica, id) {
      const startedAt = performance.now()
      const count = limitAttachments()
      const evaluated = items.map((item) => evaluateItem(replica, item, count))
      const timing = timingSince(startedAt)
      let responses = ''
      for (const item of evaluated) responses += (responses === '' ? '' : ',') + item(timing)
      return (
        `{"requestId":${quote(requestId || id)},"responses":[${responses}],` +
        `"requestDurationMillis":${timing.durationMillis}}`
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
): (timing: Timing) => string {
  const { namespaceKey, flagKey, entityId, context } = request
  const flag = flagsOf(replica, namespaceKey)?.get(flagKey)
  if (flag === undefined) {
    const reason = 'NOT_FOUND_ERROR_EVALUATION_REASON'
    const errorResponse = { flagKey, namespaceKey, reason }
    return () => JSON.stringify({ type: 'ERROR_EVALUATION_RESPONSE_TYPE', errorResponse })
  }
  if (flag.type === 'BOOLEAN_FLAG_TYPE') {
    const evaluation = evaluateBoolean(flag, toEntity(entityId, context))
    return (timing) => {
      const response = writeBoolean(evaluation, request, timing)
      return `{"type":"BOOLEAN_EVALUATION_RESPONSE_TYPE","booleanResponse":${response}}`
    }
  }
  const evaluation = evaluateVariant(flag, toEntity(entityId, context))
  count(evaluation.variantAttachment)
  return (timing) => {
    const response = writeVariant(evaluation, request, timing)
    return `{"type":"VARIANT_EVALUATION_RESPONSE_TYPE","variantResponse":${response}}`
  }
}
