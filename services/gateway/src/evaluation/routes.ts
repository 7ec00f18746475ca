import type { FastifyInstance } from 'fastify'
import { maxBodyBytes, readJson } from '../http/body.ts'
import type { Guard } from '../identity/guard.ts'
import { setDataAge } from '../replica/data-age.ts'
import type { Replica } from '../replica/replica.ts'
import type { Method } from '../transcoding/contract.ts'
import { withPath } from '../transcoding/decode.ts'
import { type BoundRequest, routesOf } from '../transcoding/routes.ts'
import {
  type Endpoint,
  evaluateBatchEndpoint,
  evaluateBooleanEndpoint,
  evaluateVariantEndpoint,
} from './endpoints.ts'
import { legacyBatchEvaluateEndpoint, legacyEvaluateEndpoint } from './legacy.ts'
import { answerSchemas } from './schemas.ts'

/** The methods of svc.evaluation.v1, by name: who answers them, and how the answer is written. */
const endpoints: ReadonlyMap<string, readonly [Endpoint, object]> = new Map([
  ['EvaluateBoolean', [evaluateBooleanEndpoint, answerSchemas.booleanAnswer]],
  ['EvaluateVariant', [evaluateVariantEndpoint, answerSchemas.variantAnswer]],
  ['EvaluateBatch', [evaluateBatchEndpoint, answerSchemas.batchAnswer]],
  ['LegacyEvaluate', [legacyEvaluateEndpoint, answerSchemas.legacyAnswer]],
  ['LegacyBatchEvaluate', [legacyBatchEvaluateEndpoint, answerSchemas.legacyBatchAnswer]],
])

export function isEvaluationMethod({ service }: Method): boolean {
  return service.startsWith('svc.evaluation.v1.')
}

/** Mounts the methods that the gateway answers by itself, from its copy of the flags. */
export function addEvaluationRoutes(
  app: FastifyInstance,
  methods: readonly Method[],
  { replica, guard }: { readonly replica: Replica; readonly guard: Guard },
): void {
  for (const route of routesOf(methods)) {
    const { binding, method, url } = route
    const [endpoint, schema] = endpoints.get(method.name) ?? []
    if (endpoint === undefined) throw new Error(`nobody answers ${method.path}`)
    app.route<BoundRequest>({
      method: binding.verb,
      url,
      bodyLimit: maxBodyBytes,
      schema: { response: { 200: schema } },
      async handler(request, reply) {
        const question = endpoint(withPath(route, request, readJson(request)))
        await guard.check(request, method.access, question.namespaceKeys)
        setDataAge(reply, replica)
        const answer = question.answer(replica)
        if (!('pretty' in request.query)) return answer
        reply.header('content-type', 'application/json')
        return Buffer.from(JSON.stringify(answer, null, 2))
      },
    })
  }
}
