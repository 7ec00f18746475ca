import type { BoundOperation, Operation } from '@svc/contract'
import type { FastifyInstance } from 'fastify'
import { bodyLimitOf } from '../http/body.ts'
import type { ErrorBody } from '../http/errors.ts'
import { sendAnswer } from '../http/exchange.ts'
import type { FastRoute } from '../http/fast-path.ts'
import type { AnswererFor } from './answerer.ts'
import { createPipeline, type PipelineParts } from './pipeline.ts'

/** One URL of an operation, as the router takes it. */
export interface BoundRoute extends BoundOperation {
  readonly url: string
}

declare module 'fastify' {
  interface FastifyContextConfig {
    /** The form of a route's errors, where it is another than usual. */
    readonly errorBody?: ErrorBody | undefined
    /** Whether its answers last for as long as their client likes. */
    readonly isStream?: boolean
  }
}

export interface MountParts extends PipelineParts {
  readonly answererFor: (operation: Operation) => AnswererFor
}

/**
 * Timeout of routes that call a service, in milliseconds, from the first byte: 15 s to arrive, 20 s for the longest call, and
 * 10 s for what the gateway does besides. A shorter one would answer 503 for a change that is then committed. Routes
 * that answer from memory do without: it costs a timer for each request.
 */
const handlerTimeout = 45_000

/** Every URL of the operations, each of them with and without one slash at its end. */
export function routesOf(operations: readonly Operation[]): readonly BoundRoute[] {
  return operations.flatMap((operation) =>
    operation.bindings.flatMap((binding) =>
      ['', '/'].map((slash) => ({ operation, binding, url: `${binding.template.url}${slash}` })),
    ),
  )
}

/** @returns the routes that the fast path may also serve, by their URL */
export function mount(
  app: FastifyInstance,
  operations: readonly Operation[],
  parts: MountParts,
): ReadonlyMap<string, FastRoute> {
  const fastRoutes = new Map<string, FastRoute>()
  for (const bound of routesOf(operations)) {
    const { operation, binding, url } = bound
    const { route, isStream } = operation
    const answerer = parts.answererFor(operation)(bound)
    const { errorBody, limit, isCompressed = false } = answerer
    const serve = createPipeline(operation, answerer, parts)
    const identify = parts.identifierFor(operation)
    app.route({
      method: binding.verb,
      url,
      bodyLimit: bodyLimitOf(route),
      ...(route.answeredBy !== 'GATEWAY' && { handlerTimeout }),
      // The size of a compressed answer would reveal the secrets in it (BREACH).
      ...((isCompressed || route.area === 'AUTH') && { compress: false }),
      // An answer without a body is of no use to a client of events.
      exposeHeadRoute: !isStream,
      config: { errorBody, isStream, limit, identify: (exchange) => identify(exchange) },
      async handler({ exchange, body }, reply) {
        exchange.request.body = Buffer.isBuffer(body) ? body : undefined
        return sendAnswer(reply, exchange, await serve(exchange))
      },
    })
    if (isFast(bound)) {
      const [keyParam] = binding.template.fields
      fastRoutes.set(url.replace(/:\w+$/, ':'), { url, serve, keyParam, errorBody })
    }
  }
  return fastRoutes
}

/** Evaluations: what is posted and answered from memory, with a key at the end of the URL at most. */
function isFast({ operation, binding, url }: BoundRoute): boolean {
  const isHere = operation.route.answeredBy === 'GATEWAY'
  return isHere && binding.verb === 'POST' && /^[^:]*(?::\w+)?$/.test(url)
}
