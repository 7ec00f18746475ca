import { randomUUID } from 'node:crypto'
import type { CompiledFlag } from '@svc/evaluation'
import { invalidArgument, notFound } from '@svc/runtime'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { flagsOf, limitAttachments } from '../evaluation/answers.ts'
import { maxBodyBytes, readJson } from '../http/body.ts'
import type { Guard } from '../identity/guard.ts'
import { setDataAge } from '../replica/data-age.ts'
import type { Replica } from '../replica/replica.ts'
import { namesEtag } from '../snapshot/etag.ts'
import type { Method } from '../transcoding/contract.ts'
import { withPath } from '../transcoding/decode.ts'
import { resolveNamespaceKey } from '../transcoding/namespaces.ts'
import { readQuery } from '../transcoding/query.ts'
import { type BoundRequest, type BoundRoute, routesOf } from '../transcoding/routes.ts'
import { answerFlag, failFlag, missing } from './answers.ts'
import { configuration } from './configuration.ts'
import { etagOf } from './etag.ts'
import {
  type EventParts,
  eventsUriOf,
  holdForEvent,
  NamespaceEvents,
  toEventStreams,
} from './events.ts'
import { readNamespace } from './namespace.ts'
import { readQuestion } from './question.ts'
import { ofrepSchemas } from './schemas.ts'

export function isOfrepMethod({ service }: Method): boolean {
  return service.startsWith('svc.ofrep.v1.')
}

interface Parts {
  readonly replica: Replica
  readonly guard: Guard
  readonly events: NamespaceEvents
}

type Request = FastifyRequest<BoundRequest>

type Handler = (
  parts: Parts,
  route: BoundRoute,
  request: Request,
  reply: FastifyReply,
) => Promise<unknown>

const evaluateFlag: Handler = async ({ replica, guard }, { method }, request, reply) => {
  const namespaceKey = readNamespace(request.headers)
  const { context, targetingKey } = readQuestion(readJson(request))
  await guard.check(request, method.access, [namespaceKey])
  const { key = '' } = request.params
  if (key === '') throw invalidArgument('flag key was not provided')
  setDataAge(reply, replica)
  const flag = flagsOf(replica, namespaceKey)?.get(key)
  if (flag === undefined) throw notFound('flag', missing(key))
  return answerFlag(flag, targetingKey ?? randomUUID(), context)
}

const evaluateFlags: Handler = async ({ replica, guard }, { method }, request, reply) => {
  const namespaceKey = readNamespace(request.headers)
  const { context, targetingKey, flagKeys } = readQuestion(readJson(request))
  const identity = await guard.check(request, method.access, [namespaceKey])
  await holdForEvent(replica, namespaceKey, request.query.flagConfigEtag)
  setDataAge(reply, replica)
  const flags = flagsOf(replica, namespaceKey)
  const revision = replica.namespace(namespaceKey)?.revision
  if (flags === undefined || revision === undefined) {
    throw notFound('namespace', `namespace was not found ${namespaceKey}`)
  }
  const eventsUri = eventsUriOf(namespaceKey, revision, identity)
  if (targetingKey !== undefined) {
    const etag = etagOf(namespaceKey, revision, context, eventsUri)
    reply.header('etag', `"${etag}"`)
    if (namesEtag(request.headers['if-none-match'], etag)) return reply.code(304).send()
  }
  const entityId = targetingKey ?? randomUUID()
  const count = limitAttachments('flags')
  const answer = (flag: CompiledFlag) => {
    const answered = answerFlag(flag, entityId, context)
    count(answered.metadata.attachment ?? '')
    return answered
  }
  return {
    flags:
      flagKeys === undefined
        ? Array.from(flags.flags()).filter(isListed).map(answer)
        : flagKeys.map((key) => {
            const flag = flags.get(key)
            return flag === undefined ? failFlag(key) : answer(flag)
          }),
    eventStreams: toEventStreams(eventsUri),
  }
}

/** Whether a flag is among all flags. A variant flag that is off has nothing to say. */
function isListed(flag: CompiledFlag): boolean {
  return flag.type === 'BOOLEAN_FLAG_TYPE' || flag.enabled
}

const getConfiguration: Handler = async ({ guard }, { method }, request) => {
  await guard.check(request, method.access, [readNamespace(request.headers)])
  return configuration
}

const watchNamespace: Handler = async ({ replica, guard, events }, route, request, reply) => {
  const { method, binding } = route
  const query = readQuery(method.input, request.query, binding.template.fields)
  const sent = withPath(route, request, query)
  const namespaceKey = resolveNamespaceKey(String(sent.key), 'key')
  const ticket = sent.ticket === undefined ? undefined : String(sent.ticket)
  const identity = await guard.check(request, method.access, [namespaceKey], ticket)
  flagsOf(replica, namespaceKey)
  const since = String(request.headers['last-event-id'] ?? sent.since ?? '')
  const caller = { identity, access: method.access, namespaceKey }
  events.open(reply, caller, since === '' ? undefined : since)
}

/** The methods of svc.ofrep.v1, by name: who answers them, and how the answer is written. */
const handlers: ReadonlyMap<string, readonly [Handler, object?]> = new Map([
  ['EvaluateFlag', [evaluateFlag, ofrepSchemas.evaluatedFlag]],
  ['EvaluateFlags', [evaluateFlags, ofrepSchemas.evaluatedFlags]],
  ['GetConfiguration', [getConfiguration]],
  ['WatchNamespace', [watchNamespace]],
])

/** Mounts OFREP, which the gateway answers by itself, from its copy of the flags. */
export function addOfrepRoutes(
  app: FastifyInstance,
  methods: readonly Method[],
  { guard, ...parts }: EventParts & { readonly guard: Guard },
): void {
  const events = new NamespaceEvents(parts)
  for (const route of routesOf(methods)) {
    const { binding, method, url } = route
    const [handler, schema] = handlers.get(method.name) ?? []
    if (handler === undefined) throw new Error(`nobody answers ${method.path}`)
    app.route<BoundRequest>({
      method: binding.verb,
      url,
      bodyLimit: maxBodyBytes,
      // An answer without a body is none that a client of events could want.
      exposeHeadRoute: !method.isStream,
      ...(schema !== undefined && { schema: { response: { 200: schema } } }),
      async handler(request, reply) {
        const answer = await handler(
          { replica: parts.replica, guard, events },
          route,
          request,
          reply,
        )
        if (!('pretty' in request.query) || reply.sent || answer === reply) return answer
        reply.header('content-type', 'application/json')
        return Buffer.from(JSON.stringify(answer, null, 2))
      },
    })
  }
}
