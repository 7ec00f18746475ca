import type { JsonObject } from '@svc/contract'
import { type CompiledFlag, evaluateBoolean, evaluateVariant, toEntity } from '@svc/evaluation'
import { quote, quoteAll } from '../../http/json-text.ts'
import type { Replica } from '../../replica/replica.ts'
import { type CountTexts, findFlag, findNamespace, limitTexts, limitTime } from './answers.ts'
import { noteOnSpan } from './evaluation-span.ts'
import { noteDuration, noteEvaluation, noteMissing } from './measures.ts'
import {
  type EvaluationRequest,
  readEvaluationRequest,
  readItems,
  readText,
  resolveNamespace,
} from './request.ts'
import { type Timing, timingSince } from './timing.ts'

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

/** Writes an answer once it is known how long all of them took. */
type WriteAnswer = (timing: Timing) => string

export const prepareBoolean = prepareFlagOf('BOOLEAN_FLAG_TYPE')
export const prepareVariant = prepareFlagOf('VARIANT_FLAG_TYPE')

function prepareFlagOf(type: CompiledFlag['type']): Prepare {
  return (body) => {
    const request = readEvaluationRequest(body)
    return {
      namespaceKeys: [resolveNamespace(request.namespaceKey)],
      evaluate(replica, id) {
        const startedAt = performance.now()
        const flag = findFlag(replica, request, type)
        const write = evaluateFlag(flag, request, request.requestId || id)
        const timing = timingSince(startedAt)
        noteDuration(timing.durationMillis, 1)
        return write(timing)
      },
    }
  }
}

export const prepareBatch: Prepare = (body) => {
  const requestId = readText(body, 'requestId', 'request_id')
  const items = readItems(body).map(readEvaluationRequest)
  return {
    namespaceKeys: items.map(({ namespaceKey }) => resolveNamespace(namespaceKey)),
    evaluate(replica, id) {
      const startedAt = performance.now()
      const count = limitTexts()
      const checkTime = limitTime()
      const evaluated = items.map((item) => {
        const write = evaluateItem(replica, item, count)
        checkTime()
        return write
      })
      const timing = timingSince(startedAt)
      noteDuration(timing.durationMillis, items.length)
      let responses = ''
      for (const write of evaluated) responses += (responses === '' ? '' : ',') + write(timing)
      return (
        `{"requestId":${quote(requestId || id)},"responses":[${responses}],` +
        `"requestDurationMillis":${timing.durationMillis}}`
      )
    },
  }
}

/** Answers a flag of either type by its own type. */
function evaluateItem(
  replica: Replica,
  request: EvaluationRequest,
  count: CountTexts,
): WriteAnswer {
  const { namespaceKey, flagKey } = request
  const state = findNamespace(replica, namespaceKey)
  const flag = state?.flags.get(flagKey)
  if (flag === undefined) {
    noteMissing(state?.key)
    const reason = 'NOT_FOUND_ERROR_EVALUATION_REASON'
    const errorResponse = { flagKey, namespaceKey, reason }
    return () => JSON.stringify({ type: 'ERROR_EVALUATION_RESPONSE_TYPE', errorResponse })
  }
  const write = evaluateFlag(flag, request, request.requestId, count)
  const head =
    flag.type === 'BOOLEAN_FLAG_TYPE'
      ? '{"type":"BOOLEAN_EVALUATION_RESPONSE_TYPE","booleanResponse":'
      : '{"type":"VARIANT_EVALUATION_RESPONSE_TYPE","variantResponse":'
  return (timing) => `${head}${write(timing)}}`
}

/**
 * The answers that are given most, as JSON. They follow the messages in proto/svc/evaluation/v1. Written
 * out by hand it takes half as long as by a library that compiles a schema.
 */
function evaluateFlag(
  flag: CompiledFlag,
  { namespaceKey: sentKey, flagKey, entityId, context }: EvaluationRequest,
  requestId: string,
  count?: CountTexts,
): WriteAnswer {
  const entity = toEntity(entityId, context)
  const namespaceKey = resolveNamespace(sentKey)
  const isOnlyOne = count === undefined
  if (flag.type === 'BOOLEAN_FLAG_TYPE') {
    const evaluation = evaluateBoolean(flag, entity)
    noteOnSpan({ namespaceKey, flag, entity, evaluation }, isOnlyOne)
    const { enabled, reason, segmentKeys } = evaluation
    noteEvaluation(namespaceKey, flagKey, flag.type, reason)
    count?.(segmentKeys, '')
    return ({ members }) =>
      `{"enabled":${enabled},"reason":"${reason}","requestId":${quote(requestId)},` +
      `${members},"flagKey":${quote(flagKey)},"segmentKeys":${quoteAll(segmentKeys)}}`
  }
  const evaluation = evaluateVariant(flag, entity)
  noteOnSpan({ namespaceKey, flag, entity, evaluation }, isOnlyOne)
  const { match, segmentKeys, reason, variantKey, variantAttachment } = evaluation
  noteEvaluation(namespaceKey, flagKey, flag.type, reason)
  count?.(segmentKeys, variantAttachment)
  return ({ members }) =>
    `{"match":${match},"segmentKeys":${quoteAll(segmentKeys)},"reason":"${reason}",` +
    `"variantKey":${quote(variantKey)},"variantAttachment":${quote(variantAttachment)},` +
    `"requestId":${quote(requestId)},${members},"flagKey":${quote(flagKey)}}`
}
