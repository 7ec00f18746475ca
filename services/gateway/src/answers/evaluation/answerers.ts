import { findIgnored, withPath } from '@svc/contract'
import { EvaluationServiceDefinition } from '@svc/proto/evaluation/v1/evaluation'
import { LegacyEvaluationServiceDefinition } from '@svc/proto/evaluation/v1/legacy'
import { readJson } from '../../http/body.ts'
import { indentIf } from '../../http/json-text.ts'
import { type AnswererFor, type Answerers, answerersOf } from '../../operations/answerer.ts'
import { setDataAge } from '../../replica/data-age.ts'
import type { Replica } from '../../replica/replica.ts'
import { prepareLegacy, prepareLegacyBatch } from './legacy.ts'
import { type Prepare, prepareBatch, prepareBoolean, prepareVariant } from './prepared.ts'
import { flagKeysOf } from './request.ts'

/** Evaluations, which the gateway answers from its copy of the flags. */
export function evaluationAnswerers(replica: Replica): Answerers {
  const by =
    (prepare: Prepare): AnswererFor =>
    (bound) => ({
      prepare(exchange) {
        const { request } = exchange
        const body = readJson(request)
        const { namespaceKeys, evaluate } = prepare(withPath(bound, request, body))
        return {
          namespaceKeys,
          ignored: () => findIgnored(bound.operation.input, body),
          flagKeys: () => flagKeysOf(body),
          answer() {
            setDataAge(exchange, replica)
            return indentIf(exchange.isPretty, evaluate(replica, request.id))
          },
        }
      },
    })
  return new Map([
    ...answerersOf(EvaluationServiceDefinition, {
      evaluateBoolean: by(prepareBoolean),
      evaluateVariant: by(prepareVariant),
      evaluateBatch: by(prepareBatch),
    }),
    ...answerersOf(LegacyEvaluationServiceDefinition, {
      legacyEvaluate: by(prepareLegacy),
      legacyBatchEvaluate: by(prepareLegacyBatch),
    }),
  ])
}
