import { findIgnored, type Operation, withPath } from '@svc/contract'
import type { FastifyInstance } from 'fastify'
import { maxBodyBytes, readJson } from '../../http/body.ts'
import type { QuickAnswer } from '../../http/fast-lane.ts'
import { parseJsonObject } from '../../http/json.ts'
import { noteFacts } from '../../http/request-log.ts'
import type { QuickGuard } from '../../operations/guard.ts'
import { noteIgnored } from '../../operations/ignored.ts'
import { dataAgeOf, setDataAge } from '../../replica/data-age.ts'
import type { Replica } from '../../replica/replica.ts'
import { type BoundRequest, routesOf } from '../remote/routes.ts'
import {
  type Endpoint,
  evaluateBatchEndpoint,
  evaluateBooleanEndpoint,
  evaluateVariantEndpoint,
} from './endpoints.ts'
import { legacyBatchEvaluateEndpoint, legacyEvaluateEndpoint } from './legacy.ts'
import { flagKeysOf } from './request.ts'

/** Who answers the operations of svc.evaluation.v1, by name. */
const endpoints: ReadonlyMap<string, Endpoint> = new Map([
  ['EvaluateBoolean', evaluateBooleanEndpoint],
  ['EvaluateVariant', evaluateVariantEndpoint],
  ['EvaluateBatch', evaluateBatchEndpoint],
  ['LegacyEvaluate', legacyEvaluateEndpoint],
  ['LegacyBatchEvaluate', legacyBatchEvaluateEndpoint],
])

export interface EvaluationParts {
  readonly replica: Replica
  readonly guard: QuickGuard
  /** Where the routes with a fixed URL put the quick way to the same answers. */
  readonly quickAnswers: Map<string, QuickAnswer>
}

export function isEvaluationMethod({ service }: Operation): boolean {
  return service.startsWith('svc.evaluation.v1.')
}

/** Mounts the operations that the gateway answers by itself, from its copy of the flags. */
export function addEvaluationRoutes(
  app: FastifyInstance,
  operations: readonly Operation[],
  { replica, guard, quickAnswers }: EvaluationParts,
): void {
  for (const route of routesOf(operations)) {
    const { binding, operation, url } = route
    const endpoint = endpoints.get(operation.name)
    if (endpoint === undefined) throw new Error(`there is no handler for ${operation.path}`)
    app.route<BoundRequest>({
      method: binding.verb,
      url,
      bodyLimit: maxBodyBytes,
      async handler(request, reply) {
        const caller = await guard.identify(request, operation.access)
        const body = readJson(request)
        const question = endpoint(withPath(route, request, body))
        await guard.authorize(request, caller, operation.access, question.namespaceKeys)
        noteIgnored(request, reply, operation.input, body)
        noteFacts(request, { flags: () => flagKeysOf(body) })
        setDataAge(reply, replica)
        const text = question.answer(replica, request.id)
        // Bytes, for Fastify would name a character set with a text.
        reply.header('content-type', 'application/json')
        return Buffer.from(
          'pretty' in request.query ? JSON.stringify(JSON.parse(text), null, 2) : text,
        )
      },
    })
    if (binding.template.fields.length > 0) continue
    quickAnswers.set(url, ({ raw, body, id, headers }) => {
      const caller = guard.recall(raw, url, operation.access)
      if (caller === undefined) return undefined
      const object = parseJsonObject(body)
      // Its sender is told on the long way.
      if (findIgnored(operation.input, object) !== undefined) return undefined
      const question = endpoint(object)
      if (!guard.admit(raw, caller, operation.access, question.namespaceKeys)) return undefined
      const age = dataAgeOf(replica)
      if (age !== undefined) headers.push('x-svc-data-age', age)
      return question.answer(replica, id)
    })
  }
}
