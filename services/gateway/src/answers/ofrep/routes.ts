import {
  findIgnored,
  type Operation,
  readQuery,
  resolveNamespaceKey,
  withPath,
} from '@svc/contract'
import { EventLoopScheduler, unavailable } from '@svc/runtime'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { maxBodyBytes, readJson } from '../../http/body.ts'
import type { QuickAnswer } from '../../http/fast-lane.ts'
import { parseJsonObject } from '../../http/json.ts'
import { noteFacts } from '../../http/request-log.ts'
import type { QuickGuard } from '../../operations/guard.ts'
import { noteIgnored } from '../../operations/ignored.ts'
import { dataAgeOf, setDataAge } from '../../replica/data-age.ts'
import type { Replica } from '../../replica/replica.ts'
import type { CallerStreams } from '../../streams/caller-streams.ts'
import { type BoundRequest, type BoundRoute, routesOf } from '../remote/routes.ts'
import { askForFlags } from './all-flags.ts'
import { configuration } from './configuration.ts'
import { NamespaceEvents, waitForEtag } from './events.ts'
import { readNamespace } from './namespace.ts'
import { askForFlag, type Question } from './questions.ts'
import { valueHeader } from './value-form.ts'

export interface OfrepParts {
  readonly replica: Replica
  readonly guard: QuickGuard
  readonly streams: CallerStreams
  /** Where the evaluations put the quick way to the same answers. */
  readonly quickAnswers: Map<string, QuickAnswer>
}

export function isOfrepMethod({ service }: Operation): boolean {
  return service.startsWith('svc.ofrep.v1.')
}

interface Parts extends OfrepParts {
  readonly events: NamespaceEvents
  readonly scheduler: EventLoopScheduler
}

type Handler = (
  request: FastifyRequest<BoundRequest>,
  reply: FastifyReply,
) => Promise<FastifyReply | undefined>

type Add = (app: FastifyInstance, parts: Parts, route: BoundRoute) => void

/** The operations of svc.ofrep.v1, by name. */
const operations: ReadonlyMap<string, Add> = new Map([
  ['EvaluateFlag', addEvaluation],
  ['EvaluateFlags', addEvaluation],
  ['GetConfiguration', addConfiguration],
  ['WatchNamespace', addEvents],
])

/** Mounts OFREP, which the gateway answers by itself, from its copy of the flags. */
export function addOfrepRoutes(
  app: FastifyInstance,
  mounted: readonly Operation[],
  parts: OfrepParts,
): void {
  const own = { events: new NamespaceEvents(parts), scheduler: new EventLoopScheduler() }
  for (const route of routesOf(mounted)) {
    const add = operations.get(route.operation.name)
    if (add === undefined) throw new Error(`there is no handler for ${route.operation.path}`)
    add(app, { ...parts, ...own }, route)
  }
}

function addEvaluation(
  app: FastifyInstance,
  { replica, guard, quickAnswers, scheduler }: Parts,
  route: BoundRoute,
): void {
  const { operation, url } = route
  const isBulk = operation.name === 'EvaluateFlags'
  const ask = isBulk ? askForFlags : askForFlag
  addRoute(app, route, async (request, reply) => {
    const caller = await guard.identify(request, operation.access)
    const body = readJson(request)
    const question: Question = ask(request.headers, body, request.params.key ?? '')
    const { namespaceKey } = question
    await guard.authorize(request, caller, operation.access, [namespaceKey])
    noteIgnored(request, reply, operation.input, body)
    const { key } = request.params
    if (key !== undefined) noteFacts(request, { flags: () => [key] })
    await waitForEtag(replica, namespaceKey, request.query.flagConfigEtag)
    setDataAge(reply, replica)
    addVary(reply)
    const { text, etag } =
      question.answer(replica, caller) ??
      (await question.answerInSlices(replica, caller, scheduler))
    if (etag !== undefined) reply.header('etag', `"${etag}"`)
    return text === undefined ? reply.code(304).send() : sendJson(request, reply, text)
  })
  quickAnswers.set(url, ({ raw, body, key, headers }) => {
    // It would have to be made once more, to be compressed, or not at all.
    if (isBulk && ('accept-encoding' in raw.headers || 'if-none-match' in raw.headers))
      return undefined
    const caller = guard.recall(raw, url, operation.access)
    if (caller === undefined) return undefined
    const object = parseJsonObject(body)
    // Its sender is told on the long way.
    if (findIgnored(operation.input, object) !== undefined) return undefined
    const question: Question = ask(raw.headers, object, key)
    if (!guard.admit(raw, caller, operation.access, [question.namespaceKey])) return undefined
    const answer = question.answer(replica, caller === 'anyone' ? undefined : caller)
    if (answer?.text === undefined) return undefined
    const { text, etag } = answer
    const age = dataAgeOf(replica)
    if (age !== undefined) headers.push('x-svc-data-age', age)
    if (etag !== undefined) headers.push('etag', `"${etag}"`)
    headers.push('vary', valueHeader)
    return text
  })
}

/** Besides what others have put there: answers to pages of other origins vary with the origin, too. */
function addVary(reply: FastifyReply): void {
  const others = reply.getHeader('vary')
  reply.header('vary', others === undefined ? valueHeader : `${others}, ${valueHeader}`)
}

function addConfiguration(app: FastifyInstance, { guard }: Parts, route: BoundRoute): void {
  const text = JSON.stringify(configuration)
  addRoute(app, route, async (request, reply) => {
    await guard.check(request, route.operation.access, [readNamespace(request.headers)])
    return sendJson(request, reply, text)
  })
}

function addEvents(app: FastifyInstance, parts: Parts, route: BoundRoute): void {
  const { replica, guard, events } = parts
  const { operation, binding } = route
  const { access } = operation
  addRoute(app, route, async (request, reply) => {
    const query = readQuery(operation.input, request.query, binding.template.fields)
    const { key, ticket, since } = withPath(route, request, query)
    const namespaceKey = resolveNamespaceKey(String(key), 'key')
    const presented = ticket === undefined ? undefined : String(ticket)
    const identity = await guard.check(request, access, [namespaceKey], presented)
    // Until there are flags nobody knows what has changed.
    if (!replica.isLoaded) throw unavailable('flags are not loaded yet, try again')
    const held = String(request.headers['last-event-id'] ?? since ?? '')
    events.open(reply, { identity, access, namespaceKey }, held === '' ? undefined : held)
    return undefined
  })
}

function addRoute(app: FastifyInstance, { operation, binding, url }: BoundRoute, handler: Handler) {
  app.route<BoundRequest>({
    method: binding.verb,
    url,
    bodyLimit: maxBodyBytes,
    // An answer without a body is none that a client of events could want.
    exposeHeadRoute: !operation.isStream,
    handler,
  })
}

function sendJson(
  request: FastifyRequest<BoundRequest>,
  reply: FastifyReply,
  text: string,
): FastifyReply {
  const isPretty = 'pretty' in request.query
  // Bytes, for Fastify would name a character set with a text.
  const body = Buffer.from(isPretty ? JSON.stringify(JSON.parse(text), null, 2) : text)
  return reply.header('content-type', 'application/json').send(body)
}
