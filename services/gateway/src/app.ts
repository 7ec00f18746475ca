import type { IncomingMessage } from 'node:http'
import cors from '@fastify/cors'
import type { Settings } from '@svc/config'
import type { Contract, Operation } from '@svc/contract'
import type { ProcessContext } from '@svc/process'
import type { Logger } from '@svc/runtime'
import { observeGauge } from '@svc/telemetry'
import type { FastifyBaseLogger, FastifyInstance } from 'fastify'
import { measureEvaluations } from './answers/evaluation/measures.ts'
import type { CallService } from './answers/remote/call.ts'
import { MessageThread } from './answers/remote/message-thread.ts'
import { answerersBy, errorBodiesOf } from './answers.ts'
import { addDocumentationRoutes } from './documentation/documentation.ts'
import { addFrontPage } from './documentation/front-page.ts'
import { addHealthRoutes, type Readiness } from './health.ts'
import { clientAddressBehind } from './http/client-address.ts'
import { addCompression } from './http/compression.ts'
import { openEdge } from './http/edge.ts'
import { openFastPath } from './http/fast-path.ts'
import { answerHeaders } from './http/headers.ts'
import { LoadShedding } from './http/load-shedding.ts'
import { requestIdsBehind } from './http/request-ids.ts'
import { addRequestLog } from './http/request-log.ts'
import { addMetricsRoute, addRequestMetrics, measureRequests } from './http/request-metrics.ts'
import { RouteLimits } from './http/route-limits.ts'
import { originsOf } from './identity/cross-site.ts'
import { throttleFailures } from './identity/failure-throttle.ts'
import { createIdentifier } from './identity/identify.ts'
import type { Identities } from './identity/identities.ts'
import { createLoginGuard } from './identity/login-guard.ts'
import type { RefusalCounts } from './identity/refusal-counts.ts'
import { RefusalLog } from './identity/refusal-log.ts'
import type { Uses } from './identity/uses.ts'
import type { BasePathOf } from './interface/base-path.ts'
import { failedLoginPages } from './interface/failed-logins.ts'
import { addInterface } from './interface/interface.ts'
import type { Site } from './interface/site.ts'
import { mount, routesOf } from './operations/mount.ts'
import { RequestTraces } from './operations/request-traces.ts'
import type { Replica } from './replica/replica.ts'
import { CallerStreams } from './streams/caller-streams.ts'
import { addEventStreams } from './streams/event-streams.ts'

export interface AppParts {
  readonly settings: Settings
  readonly log: Logger
  readonly contract: Contract
  readonly replica: Replica
  readonly identities: Identities
  readonly counts: { readonly uses: Uses; readonly refusals: RefusalCounts }
  readonly readiness: Readiness
  /** The web interface, if this gateway serves one. */
  readonly site: Site | undefined
  readonly basePathOf: BasePathOf
  readonly services: CallService
  /** What is measured; nothing where the metrics are off. */
  readonly metrics?: ProcessContext['metrics']
}

/** Headers that a page of another origin may read, besides what browsers always let it. */
const exposedHeaders =
  'ETag, Link, Retry-After, X-Request-Id, X-Svc-Data-Age, X-Svc-Ignored, X-Svc-Revision'

/** Headers that such a page may send besides what the settings allow: those of clients and routes. */
const clientHeaders =
  'If-Match, If-None-Match, Last-Event-ID, X-Flipt-Accept-Server-Version, X-Flipt-Environment, ' +
  'X-Flipt-Namespace, X-Svc-Comment, X-Svc-Min-Revision, X-Svc-Value'

/** Everything the gateway serves, without a port: a test may ask it directly. */
export async function buildApp(parts: AppParts): Promise<FastifyInstance> {
  const { settings, contract, replica, identities, counts, readiness, site, basePathOf } = parts
  const { services } = parts
  const { server, authentication } = settings
  // One of its own, whose level is its own.
  const log: FastifyBaseLogger = parts.log.child({})
  const edge = {
    log,
    headers: answerHeaders(server.publicUrl),
    requestIdOf: requestIdsBehind(server.trustedProxies),
    addressOf: clientAddressBehind(server.trustedProxies),
    onError: throttleFailures(authentication.session),
  }
  const mounted = contract.operations.filter((operation) => isMounted(operation, settings))
  const logins = routesOf(mounted.filter(({ route }) => isOfLogin.has(route.login)))
  const loginRoutes = new Set(logins.map(({ url }) => url))
  const durationsOf = parts.metrics && measureRequests()
  const limits = new RouteLimits()
  const shedding = new LoadShedding({ ...edge, durationsOf, limits })
  const arrivalOf = (request: IncomingMessage) => shedding.arrivalOf(request)
  const app = openEdge({
    ...edge,
    arrivalOf,
    errorBodyOf: errorBodiesOf(mounted),
    // Without the interface there is no such page.
    ...(site !== undefined && { pageInsteadOf: failedLoginPages(loginRoutes, basePathOf) }),
  })
  limits.watch(app)
  if (durationsOf !== undefined) {
    addRequestMetrics(app, durationsOf)
    measureEvaluations(settings.metrics.perFlag)
  }
  if (settings.log.requests) addRequestLog(app)
  if (settings.cors.enabled) await addCors(app, settings.cors)
  await addCompression(app)
  addHealthRoutes(app, readiness)
  if (settings.metrics.onHttp && parts.metrics) addMetricsRoute(app, parts.metrics.scrape)
  if (site === undefined) addFrontPage(app)
  else addInterface(app, site, basePathOf)

  const refusals = new RefusalLog(parts.log, counts.refusals)
  app.addHook('onClose', async () => refusals.flush())
  const eventStreams = addEventStreams(app)
  observeGauge('svc.streams', (result) => {
    for (const [kind, size] of eventStreams.sizes()) result.observe(size, { kind })
  })
  const messages = new MessageThread(parts.log)
  app.addHook('onClose', () => messages.close())
  const streams = new CallerStreams(eventStreams, identities, server)
  const origins = originsOf(settings)
  const routes = mount(app, mounted, {
    log: parts.log,
    replica,
    uses: counts.uses,
    refusals,
    identifierFor: createIdentifier({ identities, refusals, origins, settings: authentication }),
    loginGuard: createLoginGuard(origins, refusals),
    traces: new RequestTraces(settings.telemetry.tracesPerSecond),
    answererFor: answerersBy({
      replica,
      streams,
      log,
      services,
      messages,
      required: authentication.required,
    }),
  })
  await addDocumentationRoutes(app, { ...contract, operations: mounted })
  // Fastify writes the lines of requests.
  if (!settings.log.requests) {
    openFastPath(app, { ...edge, arrivalOf, routes, hasCors: settings.cors.enabled, durationsOf })
  }
  shedding.shed(app.server)
  return app
}

async function addCors(app: FastifyInstance, settings: Settings['cors']): Promise<void> {
  await app.register(cors, {
    origin: [...settings.allowedOrigins],
    allowedHeaders: [...settings.allowedHeaders, clientHeaders],
    methods: ['GET', 'POST', 'PUT', 'DELETE', 'OPTIONS'],
    credentials: true,
    maxAge: 300,
    exposedHeaders,
    optionsSuccessStatus: 200,
    // An OPTIONS request that is no preflight is a wrong method, and answered as such.
    strictPreflight: false,
  })
}

/** What browsers are sent to, in a login. */
const isOfLogin: ReadonlySet<string | undefined> = new Set(['REDIRECT', 'CALLBACK'])

/** Internal operations have no URL; those of a login method exist only while it is enabled. */
function isMounted({ route, path }: Operation, { authentication }: Settings): boolean {
  const { loginMethod } = route
  if (loginMethod === '') return true
  const methods: Readonly<Record<string, { readonly enabled: boolean }>> = authentication.methods
  const method = methods[loginMethod]
  if (method === undefined) throw new Error(`${path} is of no login method: ${loginMethod}`)
  return method.enabled
}
