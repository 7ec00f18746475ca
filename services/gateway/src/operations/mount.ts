import type { BoundOperation, Operation, UrlValues } from '@svc/contract'
import type { FastifyInstance } from 'fastify'
import { bodyLimitOf } from '../http/body.ts'
import type { AddressOf } from '../http/client-address.ts'
import type { ErrorBody } from '../http/errors.ts'
import { type AnswerBody, Exchange } from '../http/exchange.ts'
import type { FastRoute } from '../http/fast-path.ts'
import { sendAnswer, setHeaders } from '../http/reply.ts'
import { handlerTimeout } from '../http/server-options.ts'
import type { Answerer, AnswererFor } from './answerer.ts'
import { createPipeline, type PipelineParts, type Serve } from './pipeline.ts'

/** One URL of an operation, as the router takes it. */
export interface BoundRoute extends BoundOperation {
  readonly url: string
}

/** What the router finds in the URL of a bound route. */
interface BoundRequest {
  Params: UrlValues['params']
  Querystring: UrlValues['query']
}

declare module 'fastify' {
  interface FastifyContextConfig {
    /** The form of a route's errors, where it is another than usual. */
    readonly errorBody?: ErrorBody | undefined
  }
}

export interface MountParts extends PipelineParts {
  readonly addressOf: AddressOf
  readonly answererFor: (operation: Operation) => AnswererFor
}

/** Every URL of the operations, each of them with and without one slash at its end. */
export function routesOf(operations: readonly Operation[]): readonly BoundRoute[] {
  return operations.flatMap((operation) =>
    operation.bindings.flatMap((binding) =>
      ['', '/'].map((slash) => ({ operation, binding, url: `${binding.template.url}${slash}` })),
    ),
  )
}

/**
 * Mounts operations on the router.
 *
 * @returns the routes of those that may be served straight from the socket, too, by their URL
 */
export function mount(
  app: FastifyInstance,
  operations: readonly Operation[],
  parts: MountParts,
): ReadonlyMap<string, FastRoute> {
  const fastRoutes = new Map<string, FastRoute>()
  for (const route of routesOf(operations)) {
    const answerer = parts.answererFor(route.operation)(route)
    const serve = createPipeline(route.operation, answerer, parts)
    addRoute(app, route, answerer, serve, parts.addressOf)
    if (isFast(route)) {
      const { url, binding } = route
      const [keyParam] = binding.template.fields
      fastRoutes.set(url.replace(/:\w+$/, ':'), {
        url,
        serve,
        keyParam,
        errorBody: answerer.errorBody,
      })
    }
  }
  return fastRoutes
}

function addRoute(
  app: FastifyInstance,
  { operation, binding, url }: BoundRoute,
  { errorBody, isCompressed = false }: Answerer,
  serve: Serve,
  addressOf: AddressOf,
): void {
  const { route, isStream } = operation
  app.route<BoundRequest>({
    method: binding.verb,
    url,
    bodyLimit: bodyLimitOf(route),
    ...(route.answeredBy !== 'GATEWAY' && { handlerTimeout }),
    // The size of a compressed answer would tell of the secrets in it.
    ...((isCompressed || route.area === 'AUTH') && { compress: false }),
    // An answer without a body is none that a client of events could want.
    exposeHeadRoute: !isStream,
    config: { errorBody },
    async handler({ raw, id, params, query, body }, reply) {
      const bytes = Buffer.isBuffer(body) ? body : undefined
      const received = { raw, id, route: url, params, query, body: bytes }
      const exchange = new Exchange(received, addressOf)
      let answer: AnswerBody
      try {
        answer = await serve(exchange)
      } finally {
        setHeaders(reply, exchange)
      }
      return sendAnswer(reply, exchange, answer)
    },
  })
}

/** Evaluations: what is posted and answered from memory, with a key at the end of the URL at most. */
function isFast({ operation, binding, url }: BoundRoute): boolean {
  const isHere = operation.route.answeredBy === 'GATEWAY'
  return isHere && binding.verb === 'POST' && /^[^:]*(?::\w+)?$/.test(url)
}
