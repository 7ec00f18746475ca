import type { FastifyInstance } from 'fastify'
import { maxBodyBytes, readJson } from '../http/body.ts'
import type { Guard } from '../identity/guard.ts'
import type { Method } from '../transcoding/contract.ts'
import { withPath } from '../transcoding/decode.ts'
import { type BoundRequest, routesOf } from '../transcoding/routes.ts'
import { batchEndpoint, booleanEndpoint, type Endpoint, variantEndpoint } from './endpoints.ts'
import { legacyBatchEndpoint, legacyEndpoint } from './legacy.ts'
import type { Replica } from './replica.ts'
import { answerSchemas } from './schemas.ts'

/** An endpoint whose request only it knows the inside of. */
type AnyEndpoint = <R>(use: <T>(endpoint: Endpoint<T>) => R) => R

const hide =
  <T>(endpoint: Endpoint<T>): AnyEndpoint =>
  (use) =>
    use(endpoint)

/** The methods of svc.evaluation.v1, by name: who answers them, and how the answer is written. */
const endpoints: ReadonlyMap<string, readonly [AnyEndpoint, object]> = new Map([
  ['EvaluateBoolean', [hide(booleanEndpoint), answerSchemas.booleanAnswer]],
  ['EvaluateVariant', [hide(variantEndpoint), answerSchemas.variantAnswer]],
  ['EvaluateBatch', [hide(batchEndpoint), answerSchemas.batchAnswer]],
  ['LegacyEvaluate', [hide(legacyEndpoint), answerSchemas.legacyAnswer]],
  ['LegacyBatchEvaluate', [hide(legacyBatchEndpoint), answerSchemas.legacyBatchAnswer]],
])

export function isEvaluationMethod({ service }: Method): boolean {
  return service.startsWith('svc.evaluation.v1.')
}

/** Mounts the methods that the gateway answers by itself, from its copy of the flags. */
export function addEvaluationRoutes(
  app: FastifyInstance,
  methods: readonly Method[],
  parts: { readonly replica: Replica; readonly guard: Guard },
): void {
  for (const method of methods) {
    const [endpoint, schema] = endpoints.get(method.name) ?? []
    if (endpoint === undefined) throw new Error(`nobody answers ${method.path}`)
    endpoint((known) => addRoutes(app, method, known, schema, parts))
  }
}

function addRoutes<T>(
  app: FastifyInstance,
  method: Method,
  endpoint: Endpoint<T>,
  schema: unknown,
  { replica, guard }: { readonly replica: Replica; readonly guard: Guard },
): void {
  for (const route of routesOf([method])) {
    const { binding, url } = route
    app.route<BoundRequest>({
      method: binding.verb,
      url,
      bodyLimit: maxBodyBytes,
      schema: { response: { 200: schema } },
      async handler(request, reply) {
        const asked = endpoint.read(withPath(route, request, readJson(request)))
        await guard.check(request, method.access, endpoint.namespaceKeys(asked))
        const answer = endpoint.answer(replica, asked)
        if (!('pretty' in request.query)) return answer
        reply.header('content-type', 'application/json')
        return Buffer.from(JSON.stringify(answer, null, 2))
      },
    })
  }
}
