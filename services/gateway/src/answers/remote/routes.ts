import { type Message, toBinary } from '@bufbuild/protobuf'
import { reflect } from '@bufbuild/protobuf/reflect'
import {
  type BoundOperation,
  decodeRequest,
  encodeResponse,
  type Operation,
  resolveNamespaces,
  type UrlValues,
} from '@svc/contract'
import type { Identity } from '@svc/proto/auth/v1/identities'
import type { RawAnswer } from '@svc/rpc'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { bodyLimitOf } from '../../http/body.ts'
import { noteFacts } from '../../http/request-log.ts'
import { handlerTimeout } from '../../http/server-options.ts'
import type { Guard } from '../../operations/guard.ts'
import { noteIgnored } from '../../operations/ignored.ts'
import type { LoginGuard } from '../../operations/login-guard.ts'
import { bodyTypeOf, readBody } from './body.ts'

/** One URL of a operation, as the router takes it. */
export interface BoundRoute extends BoundOperation {
  readonly url: string
}

/** What the router finds in the URL of a bound route. */
export interface BoundRequest {
  Params: UrlValues['params']
  Querystring: UrlValues['query']
}

/** What a call is made for. */
export interface Exchange {
  readonly request: FastifyRequest
  readonly reply: FastifyReply
  /** Who is calling, if anybody says so. */
  readonly identity: Identity | undefined
}

export interface TranscodingParts {
  readonly guard: Pick<Guard, 'authorize' | 'identify'>
  /** Guards the operations that need no credential. */
  readonly loginGuard: LoginGuard
  /** Waits until a write is shown by this gateway, too. */
  waitUntilVisible(svcRevision: string): Promise<void>
  /** Calls the service that has the operation, which may have something to say besides its answer. */
  call(operation: Operation, bytes: Uint8Array, exchange: Exchange): Promise<RawAnswer>
}

/** Every URL of the operations, each of them with and without one slash at its end. */
export function routesOf(operations: readonly Operation[]): readonly BoundRoute[] {
  return operations.flatMap((operation) =>
    operation.bindings.flatMap((binding) =>
      ['', '/'].map((slash) => ({ operation, binding, url: `${binding.template.url}${slash}` })),
    ),
  )
}

/** The key of the flag that a request is about, by the names that the protos have for it. */
function flagKeysOf({ access, input }: Operation, message: Message): readonly string[] {
  const name = access.resource === 'FLAG' ? 'key' : 'flagKey'
  const field = input.fields.find(({ jsonName }) => jsonName === name)
  return field === undefined ? [] : [String(reflect(input, message).get(field))]
}

/** Mounts operations that a service behind the gateway answers. */
export function addTranscodedRoutes(
  app: FastifyInstance,
  operations: readonly Operation[],
  { guard, loginGuard, waitUntilVisible, call }: TranscodingParts,
): void {
  for (const route of routesOf(operations)) {
    const { operation, binding, url } = route
    if (operation.isStream)
      throw new Error(`${operation.path} is a stream, which has to be served here`)
    const isJson = binding.hasBody && bodyTypeOf(operation) === 'application/json'
    const isCacheable = binding.verb === 'GET' && url.startsWith('/api/')

    app.route<BoundRequest>({
      method: binding.verb,
      url,
      bodyLimit: bodyLimitOf(url),
      handlerTimeout,
      async handler(request, reply) {
        if (operation.access.scope.case === 'public') loginGuard(operation, request, reply)
        const identity = await guard.identify(request, operation.access)
        const body = binding.hasBody ? readBody(operation, request) : {}
        const message = decodeRequest(route, request, body)
        await guard.authorize(
          request,
          identity,
          operation.access,
          resolveNamespaces(operation.access, message),
        )
        if (isJson) noteIgnored(request, reply, operation.input, body)
        noteFacts(request, { flags: () => flagKeysOf(operation, message) })
        const bytes = toBinary(operation.input, message)
        const answer = await call(operation, bytes, { request, reply, identity })
        const revision = answer.trailer('svc-revision')
        if (revision !== undefined) {
          reply.header('x-svc-revision', revision)
          await waitUntilVisible(revision)
        }
        if (isCacheable) reply.header('cache-control', 'private, no-cache')
        reply.header('content-type', 'application/json')
        return encodeResponse(operation.output, answer.bytes, 'pretty' in request.query)
      },
    })
  }
}
