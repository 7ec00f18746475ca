import { assertionKeysOf } from '@svc/config'
import { type Database, openDatabase } from '@svc/database'
import type { ProcessContext, Serving } from '@svc/process'
import { AuthenticationServiceDefinition, Method } from '@svc/proto/auth/v1/authentications'
import { CodehostServiceDefinition } from '@svc/proto/auth/v1/codehost'
import { IdentityServiceDefinition } from '@svc/proto/auth/v1/identities'
import { MethodServiceDefinition } from '@svc/proto/auth/v1/methods'
import { OidcServiceDefinition } from '@svc/proto/auth/v1/oidc'
import { SessionServiceDefinition } from '@svc/proto/auth/v1/sessions'
import { TokenServiceDefinition } from '@svc/proto/auth/v1/tokens'
import { protectionOf, RpcServer } from '@svc/rpc'
import { type Logger, type Running, startAll, startEvery } from '@svc/runtime'
import { authenticationHandlers } from './credentials/authentications.rpc.ts'
import { callers } from './credentials/callers.ts'
import { identityHandlers } from './credentials/identities.rpc.ts'
import type { Admits } from './credentials/lookup/authenticate.ts'
import { type Identities, startIdentities } from './credentials/lookup/identities.ts'
import { cleanUp } from './credentials/revocations/cleanup.ts'
import { pruneIntervalMs, pruneRevocations } from './credentials/revocations/prune.ts'
import { isOpenToAll, type Vouch, vouchWith } from './credentials/vouching.ts'
import { codehostAdmission, openCodehost } from './methods/codehost/codehost.ts'
import { startJwt } from './methods/jwt/jwt.ts'
import { openLogins } from './methods/login/logins.ts'
import { methodHandlers } from './methods/methods.rpc.ts'
import { oidcAdmission } from './methods/oidc/admission.ts'
import { openOidc } from './methods/oidc/oidc.ts'
import { addOrchestrator } from './methods/orchestrator/orchestrator.ts'
import type { AuthSettings } from './methods/settings.ts'
import { bootstrap } from './methods/token/bootstrap.ts'
import { tokenHandlers } from './methods/token/tokens.rpc.ts'
import { databaseUrl, migrateSchema, upToDate } from './schema.ts'
import type { EndSessionUrl } from './sessions/logout-url.ts'
import { sessionHandlers } from './sessions/sessions.rpc.ts'

type AuthContext = ProcessContext<AuthSettings>

/** Brings the schema up to date and does nothing else. */
export async function migrateAuth({ settings, log }: AuthContext): Promise<undefined> {
  await migrateSchema(settings, { log })
}

/** The auth service. It is ready when it can tell whose tokens are good, and which no longer are. */
export async function startAuth({ settings, log }: AuthContext): Promise<Serving> {
  const protection = protectionOf(settings)
  const assertionKeys = assertionKeysOf(settings)
  const url = databaseUrl(settings)
  await upToDate(settings, { log })

  return startAll(async (track) => {
    const { maxConnections } = settings.db
    const db = openDatabase(url, { name: 'auth', maxConnections, log })
    const background = openDatabase(url, { ...backgroundConnections, log })
    track(db, background)
    const { methods, session } = settings.authentication
    const firstToken = methods.token.enabled
      ? await bootstrap(background, methods.token.bootstrap, log)
      : undefined
    const jwt = methods.jwt.enabled ? await startJwt(methods.jwt, log) : undefined
    if (jwt !== undefined) track(jwt)
    const { redis } = settings.cache
    const admissions = [oidcAdmission(methods.oidc), codehostAdmission(methods.codehost)]
    const admits: Admits = (login) => admissions.every((isMet) => isMet(login))
    const identities = await startIdentities({ url, db, background, redis, jwt, admits, log })
    track(identities)
    const server = new RpcServer({
      log,
      protection,
      descriptorSet: new URL(import.meta.resolve('@svc/proto/descriptors.binpb')),
    })
    const logins = await openLogins({ db, background, identities, session, log })
    let { authenticate } = identities
    let endSessionUrl: EndSessionUrl = async () => undefined
    if (methods.codehost.enabled) {
      const codehost = openCodehost({ db, background, identities, logins, settings, log })
      track(codehost)
      server.add(CodehostServiceDefinition, codehost.handlers)
      authenticate = codehost.noteUses(authenticate)
    }
    if (methods.oidc.enabled) {
      const oidc = openOidc({ settings, logins, log })
      server.add(OidcServiceDefinition, oidc.handlers)
      endSessionUrl = oidc.endSessionUrl
    }
    const vouch = vouchWith(assertionKeys, identities.nowMs)
    const more = { settings, log, vouch, endSessionUrl }
    addHandlers(server, db, { ...identities, authenticate }, more)
    await addOrchestrator(server, db, methods.orchestrator, log)
    const port = await server.listen(settings.auth.listen)
    track(server, ...startJobs(background, methods, log))
    log.info({ port }, 'auth service is listening')
    return { port, report: firstToken === undefined ? {} : { firstToken } }
  })
}

/**
 * Apart from those of requests: however many of them there are, revocations are heard of. One for
 * that and one for each job, and one more should the first be dead; they may wait for it.
 */
const backgroundConnections = {
  name: 'auth background',
  maxConnections: 4,
  acquireTimeoutMs: 5000,
}

function addHandlers(
  server: RpcServer,
  db: Database,
  identities: Identities,
  more: AuthContext & { readonly vouch: Vouch; readonly endSessionUrl: EndSessionUrl },
): void {
  const { authenticate, revocations, shared } = identities
  const { settings, log, vouch, endSessionUrl } = more
  const { authentication } = settings
  const { methods, session } = authentication
  const revocation = { db, shared, revocations }
  const whoCalls = callers({ db, authenticate, settings: authentication })
  server
    .add(
      IdentityServiceDefinition,
      identityHandlers({ db, identities, vouch, isOpenToAll: isOpenToAll(authentication) }),
    )
    .add(MethodServiceDefinition, methodHandlers(methods))
    .add(
      TokenServiceDefinition,
      tokenHandlers({ db, callers: whoCalls, revocation, isEnabled: methods.token.enabled, log }),
    )
    .add(
      AuthenticationServiceDefinition,
      authenticationHandlers({ db, callers: whoCalls, revocation, session, log }),
    )
    .add(
      SessionServiceDefinition,
      sessionHandlers({
        authenticate,
        callers: whoCalls,
        revocation,
        settings: session,
        endSessionUrl,
        log,
      }),
    )
}

function startJobs(
  db: Database,
  methods: AuthSettings['authentication']['methods'],
  log: Logger,
): Running[] {
  const cleanups = [
    [Method.METHOD_TOKEN, methods.token.cleanup],
    [Method.METHOD_OIDC, methods.oidc.cleanup],
    [Method.METHOD_CODEHOST, methods.codehost.cleanup],
    [Method.METHOD_ORCHESTRATOR, methods.orchestrator.cleanup],
  ] as const
  return [
    ...cleanups.map(([method, { interval, gracePeriod }]) =>
      startEvery(interval, log, async (signal) => {
        const count = await cleanUp(db, method, gracePeriod, signal)
        if (count > 0) log.info({ method, count }, 'deleted expired tokens')
      }),
    ),
    startEvery(pruneIntervalMs, log, async () => {
      await pruneRevocations(db)
    }),
  ]
}
