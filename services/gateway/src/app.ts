import cors from '@fastify/cors'
import type { Settings } from '@svc/config'
import type { Contract, Operation } from '@svc/contract'
import type { Logger } from '@svc/runtime'
import Fastify, { type FastifyBaseLogger, type FastifyInstance, LogController } from 'fastify'
import { addEvaluationRoutes, isEvaluationMethod } from './answers/evaluation/routes.ts'
import { addMetaRoutes, isMetaMethod } from './answers/meta/routes.ts'
import { addOfrepRoutes, isOfrepMethod } from './answers/ofrep/routes.ts'
import { addTranscodedRoutes, type TranscodingParts } from './answers/remote/routes.ts'
import { addSnapshotRoutes, isSnapshotMethod } from './answers/snapshot/routes.ts'
import { addDocumentationRoutes } from './documentation/documentation.ts'
import { addFrontPage } from './documentation/front-page.ts'
import { addHealthRoutes, type Readiness } from './health.ts'
import { addCompression } from './http/compression.ts'
import { addEdge } from './http/edge.ts'
import { frameworkErrorSender } from './http/errors.ts'
import { openFastLane, type QuickAnswer } from './http/fast-lane.ts'
import { answerHeaders } from './http/headers.ts'
import { requestIdsBehind } from './http/request-ids.ts'
import { addRequestLog } from './http/request-log.ts'
import { serverOptions } from './http/server-options.ts'
import type { Identities } from './identity/identities.ts'
import { RefusalLog } from './identity/refusal-log.ts'
import { onRefusal } from './identity/refused.ts'
import type { Uses } from './identity/uses.ts'
import { createGuard, type GuardSettings } from './operations/guard.ts'
import { createLoginGuard } from './operations/login-guard.ts'
import { waitUntilVisible } from './replica/own-writes.ts'
import type { Replica } from './replica/replica.ts'
import { CallerStreams } from './streams/caller-streams.ts'
import { addEventStreams } from './streams/event-streams.ts'

export interface AppParts {
  readonly settings: Settings
  readonly log: Logger
  readonly contract: Contract
  readonly replica: Replica
  readonly identities: Identities
  readonly uses: Uses
  readonly readiness: Readiness
  /** Calls the service that has a method. */
  readonly call: TranscodingParts['call']
}

/** What a page of another origin may read of an answer, besides what browsers always let it. */
const exposedHeaders = [
  'ETag',
  'Link',
  'Retry-After',
  'X-Request-Id',
  'X-Svc-Data-Age',
  'X-Svc-Ignored',
  'X-Svc-Revision',
]

/**
 * What such a page may send besides what the settings allow: what clients send to the routes that are
 * made for them, and what those read.
 */
const clientHeaders = [
  'If-None-Match',
  'Last-Event-ID',
  'X-Flipt-Accept-Server-Version',
  'X-Flipt-Environment',
  'X-Flipt-Namespace',
  'X-Svc-Min-Revision',
  'X-Svc-Value',
]

/** Everything the gateway serves, without a port: a test may ask it directly. */
export async function buildApp(parts: AppParts): Promise<FastifyInstance> {
  const { settings, log, contract, replica, identities, uses, readiness, call } = parts
  // One of its own, whose level is its own.
  const loggerInstance: FastifyBaseLogger = log.child({})
  const headers = answerHeaders(settings.server.publicUrl)
  const requestIdOf = requestIdsBehind(settings.server.trustedProxies)
  const app = Fastify({
    ...serverOptions,
    frameworkErrors: frameworkErrorSender(headers),
    trustProxy: [...settings.server.trustedProxies],
    loggerInstance,
    logController: new LogController({
      disableRequestLogging: true,
      requestIdLogLabel: 'requestId',
    }),
    genReqId: requestIdOf,
  })
  addEdge(app, { headers, onError: onRefusal(settings.authentication.session) })
  if (settings.log.requests) addRequestLog(app)
  if (settings.cors.enabled) {
    await app.register(cors, {
      origin: [...settings.cors.allowedOrigins],
      allowedHeaders: [...settings.cors.allowedHeaders, ...clientHeaders],
      methods: ['GET', 'POST', 'PUT', 'DELETE', 'OPTIONS'],
      credentials: true,
      maxAge: 300,
      exposedHeaders,
      optionsSuccessStatus: 200,
      // An OPTIONS request that is no preflight is a wrong method, and answered as such.
      strictPreflight: false,
    })
  }
  await addCompression(app)
  addHealthRoutes(app, readiness)
  addFrontPage(app)

  const mounted = contract.operations.filter((method) => isMounted(method, settings))
  const rules = guardSettings(settings)
  const refusals = new RefusalLog(log)
  app.addHook('onClose', async () => refusals.flush())
  const guard = createGuard({ identities, replica, uses, refusals }, rules)
  const streams = new CallerStreams(addEventStreams(app), identities, settings.server)
  const own = mounted.filter(isEvaluationMethod)
  const snapshots = mounted.filter(isSnapshotMethod)
  const ofrep = mounted.filter(isOfrepMethod)
  const meta = mounted.filter(isMetaMethod)
  const answeredHere = new Set([...own, ...snapshots, ...ofrep, ...meta])
  const remote = mounted.filter((method) => !answeredHere.has(method))
  const quickAnswers = new Map<string, QuickAnswer>()
  addEvaluationRoutes(app, own, { replica, guard, quickAnswers })
  addSnapshotRoutes(app, snapshots, { replica, guard, streams })
  addOfrepRoutes(app, ofrep, { replica, guard, streams, quickAnswers })
  addMetaRoutes(app, meta, { guard, required: rules.required })
  addTranscodedRoutes(app, remote, {
    guard,
    loginGuard: createLoginGuard(rules.origins, refusals),
    call,
    waitUntilVisible: (svcRevision) => waitUntilVisible(replica, svcRevision),
  })
  await addDocumentationRoutes(app, { ...contract, operations: mounted })
  // Fastify writes the lines of requests.
  if (!settings.log.requests) {
    const hasCors = settings.cors.enabled
    openFastLane(app, { answers: quickAnswers, hasCors, headers, requestIdOf })
  }
  return app
}

function guardSettings({ authentication, server }: Settings): GuardSettings {
  const { required, exclude, methods, session } = authentication
  const own = server.publicUrl === undefined ? undefined : new URL(server.publicUrl).origin
  return {
    required,
    exclude,
    acceptsJwt: methods.jwt.enabled,
    origins: { own, trusted: session.csrf.trustedOrigins },
  }
}

/** The services of the login methods: their prefixes exist only while the method is enabled. */
const methodOfService: ReadonlyMap<string, keyof Settings['authentication']['methods']> = new Map([
  ['svc.auth.v1.TokenService', 'token'],
  ['svc.auth.v1.OidcService', 'oidc'],
  ['svc.auth.v1.CodehostService', 'codehost'],
  ['svc.auth.v1.OrchestratorService', 'orchestrator'],
])

function isMounted({ service }: Operation, { authentication }: Settings): boolean {
  const method = methodOfService.get(service)
  return method === undefined || authentication.methods[method].enabled
}
