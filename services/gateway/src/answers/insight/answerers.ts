import { findIgnored } from '@svc/contract'
import { ExplainServiceDefinition } from '@svc/proto/insight/v1/explain'
import { readJson } from '../../http/body.ts'
import { indentIf } from '../../http/json-text.ts'
import { type Answerers, answerersOf } from '../../operations/answerer.ts'
import { setDataAge } from '../../replica/data-age.ts'
import type { Replica } from '../../replica/replica.ts'
import { readEvaluationRequest, resolveNamespace } from '../evaluation/request.ts'
import { explainFlag } from './explain.ts'

/** How evaluations come about, which the gateway tells from its copy of the flags. */
export function insightAnswerers(replica: Replica): Answerers {
  return answerersOf(ExplainServiceDefinition, {
    explain: ({ operation }) => ({
      prepare(exchange) {
        const body = readJson(exchange.request)
        // An application's evaluation can be sent here as it is.
        const request = readEvaluationRequest(body)
        return {
          namespaceKeys: [resolveNamespace(request.namespaceKey)],
          ignored: () => findIgnored(operation.input, body),
          flagKeys: () => [request.flagKey],
          answer() {
            setDataAge(exchange, replica)
            return indentIf(exchange.isPretty, JSON.stringify(explainFlag(replica, request)))
          },
        }
      },
    }),
  })
}
