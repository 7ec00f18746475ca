import { evaluateBoolean, evaluateVariant } from '@svc/evaluation'
import type { Replica } from '../replica/replica.ts'
import {
  answerBoolean,
  answerVariant,
  type BooleanAnswer,
  flagsOf,
  limitAttachments,
  type Moment,
  requestIdOf,
  startMoment,
  type VariantAnswer,
} from './answers.ts'
import {
  type EvaluationRequest,
  type JsonObject,
  readEvaluationRequest,
  readItems,
  readText,
  resolveNamespace,
} from './request.ts'

/** A request that has been read, and waits for its sender to be let through. */
export interface Question {
  /** Resolved; every one of them has to be allowed to the caller. */
  readonly namespaceKeys: readonly string[]
  answer(replica: Replica): object
}

/** @throws {AppError} `invalid_argument` for a body that makes no question */
export type Endpoint = (body: JsonObject) => Question

export const evaluateBooleanEndpoint: Endpoint = (body) => {
  const request = readEvaluationRequest(body)
  const { namespaceKey, flagKey } = request
  return {
    namespaceKeys: [resolveNamespace(namespaceKey)],
    answer(replica): BooleanAnswer {
      const moment = startMoment()
      const evaluation = answerBoolean(replica, request)
      return { ...evaluation, requestId: requestIdOf(request), flagKey, ...moment() }
    },
  }
}

export const evaluateVariantEndpoint: Endpoint = (body) => {
  const request = readEvaluationRequest(body)
  const { namespaceKey, flagKey } = request
  return {
    namespaceKeys: [resolveNamespace(namespaceKey)],
    answer(replica): VariantAnswer {
      const moment = startMoment()
      const evaluation = answerVariant(replica, request)
      return { ...evaluation, requestId: requestIdOf(request), flagKey, ...moment() }
    },
  }
}

export const evaluateBatchEndpoint: Endpoint = (body) => {
  const requestId = readText(body, 'requestId', 'request_id')
  const items = readItems(body).map(readEvaluationRequest)
  return {
    namespaceKeys: items.map(({ namespaceKey }) => resolveNamespace(namespaceKey)),
    answer(replica) {
      const moment = startMoment()
      const count = limitAttachments()
      const evaluated = items.map((item) => evaluateItem(replica, item, count))
      const now = moment()
      return {
        requestId: requestIdOf({ requestId }),
        responses: evaluated.map((item) => ('error' in item ? item.error : complete(item, now))),
        requestDurationMillis: now.requestDurationMillis,
      }
    },
  }
}

/** Answers a flag of either type by its own type. */
function evaluateItem(
  replica: Replica,
  request: EvaluationRequest,
  count: (attachment: string) => void,
) {
  const { namespaceKey, flagKey, requestId, entityId, context } = request
  const flag = flagsOf(replica, namespaceKey)?.get(flagKey)
  if (flag === undefined) {
    const reason = 'NOT_FOUND_ERROR_EVALUATION_REASON'
    const errorResponse = { flagKey, namespaceKey, reason }
    return { error: { type: 'ERROR_EVALUATION_RESPONSE_TYPE', errorResponse } } as const
  }
  if (flag.type === 'BOOLEAN_FLAG_TYPE') {
    return { flagKey, requestId, boolean: evaluateBoolean(flag, entityId, context) }
  }
  const variant = evaluateVariant(flag, entityId, context)
  count(variant.variantAttachment)
  return { flagKey, requestId, variant }
}

type Evaluated = Exclude<ReturnType<typeof evaluateItem>, { error: unknown }>

function complete(item: Evaluated, now: Moment) {
  const { flagKey, requestId } = item
  return 'boolean' in item
    ? {
        type: 'BOOLEAN_EVALUATION_RESPONSE_TYPE',
        booleanResponse: { ...item.boolean, requestId, flagKey, ...now },
      }
    : {
        type: 'VARIANT_EVALUATION_RESPONSE_TYPE',
        variantResponse: { ...item.variant, requestId, flagKey, ...now },
      }
}
