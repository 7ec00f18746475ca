import { assertionKeysOf, databaseUrl } from '@svc/config'
import { type Database, openDatabase, watchState } from '@svc/database'
import type { ProcessContext, Serving } from '@svc/process'
import { AuthenticationServiceDefinition, type Method } from '@svc/proto/auth/v1/authentications'
import { CliServiceDefinition } from '@svc/proto/auth/v1/cli'
import { EventServiceDefinition } from '@svc/proto/auth/v1/events'
import { IdentityServiceDefinition } from '@svc/proto/auth/v1/identities'
import { MethodServiceDefinition } from '@svc/proto/auth/v1/methods'
import { SessionServiceDefinition } from '@svc/proto/auth/v1/sessions'
import { protectionOf, RpcServer } from '@svc/rpc'
import { type Logger, type Running, startAll, startEvery } from '@svc/runtime'
import { observeGauge } from '@svc/telemetry'
import { cliHandlers } from './cli/cli.rpc.ts'
import { deleteExpiredCodes } from './cli/codes.store.ts'
import { authenticationHandlers } from './credentials/authentications.rpc.ts'
import type { ServiceContext } from './credentials/context.ts'
import { startCredentials } from './credentials/credentials.ts'
import { identityHandlers } from './credentials/identities.rpc.ts'
import type { MethodHooks } from './credentials/lookup/method-hooks.ts'
import { countExpiring } from './credentials/records/expiring.store.ts'
import {
  cleanUp,
  deleteAll,
  pruneIntervalMs,
  pruneRevocations,
} from './credentials/revocations/cleanup.ts'
import { eventHandlers } from './history/events.rpc.ts'
import { pruneEvents } from './history/retention.ts'
import { type AuthSettings, methodHandlers, methods, openMethods } from './methods/methods.ts'
import { upToDate } from './schema.ts'
import { sessionHandlers } from './sessions/sessions.rpc.ts'

/** The auth service. Ready once credentials can be looked up and revocations are followed. */
export async function startAuth(own: ProcessContext<AuthSettings>): Promise<Serving> {
  const { settings, log } = own
  const protection = protectionOf(settings, log)
  const assertionKeys = assertionKeysOf(settings)
  const url = databaseUrl(settings)
  await upToDate(own)

  return startAll(async (track) => {
    const { maxConnections } = settings.db
    // All of them wait for the head of the log's chain, and lookups may not wait for them.
    const maxWriting = Math.ceil(maxConnections / 3)
    const db = openDatabase(url, { name: 'auth', maxConnections, maxWriting, log })
    const background = openDatabase(url, { ...backgroundConnections, log })
    const watch = watchState(background, [db], log)
    track(db, background, watch)
    const hooks = new Map<Method, MethodHooks>()
    const context = await startCredentials({ settings, log, db, background }, hooks)
    track(context)
    track(startFlushing(context))
    if (settings.changes.key === undefined) log.warn(noKey)
    const opened = await openMethods(context, hooks, track)

    const server = new RpcServer({
      log,
      protection,
    })
    server
      .add(IdentityServiceDefinition, identityHandlers(context, assertionKeys))
      .add(MethodServiceDefinition, methodHandlers(settings.authentication.methods))
      .add(AuthenticationServiceDefinition, authenticationHandlers(context))
      .add(SessionServiceDefinition, sessionHandlers(context))
      .add(CliServiceDefinition, cliHandlers(context))
      .add(EventServiceDefinition, eventHandlers(context))
    for (const { serve } of opened) serve?.(server)
    const port = await server.listen(settings.auth.listen)
    // Closed in the other order: callers are answered first, then the jobs end.
    track(...startJobs(context), server)
    log.info({ port }, 'auth service is listening')
    const report = Object.assign({}, ...opened.map(({ report }) => report))
    return { port, report, readiness: watch.readiness }
  })
}

/**
 * A pool apart from that of requests, which cannot delay revocations. One connection for these and
 * one for each job, of which some delete and some log events, and a spare for one that is broken.
 */
const backgroundConnections = {
  name: 'auth background',
  maxConnections: 6,
  acquireTimeoutMs: 5000,
}

function startJobs({ background, events, log, settings }: ServiceContext<AuthSettings>): Running[] {
  const cleanups = methods.flatMap(({ id: method, section }) => {
    const own = settings.authentication.methods[section]
    if (!('cleanup' in own)) return []
    const { interval, gracePeriod } = own.cleanup
    const run = async (signal: AbortSignal) => {
      const count = await cleanUp(background, method, gracePeriod, signal)
      if (count > 0) log.info({ method, count }, 'deleted expired tokens')
    }
    return [startEvery(interval, log, run)]
  })
  const pruning = startEvery(pruneIntervalMs, log, async (signal) => {
    await pruneRevocations(background, signal)
    await deleteAll((limit) => deleteExpiredCodes(background, limit), signal)
  })
  const retention = startEvery(retentionIntervalMs, log, async (signal) => {
    const { keys } = events
    const count = await pruneEvents(background, {
      keys,
      retentionMs: settings.changes.retention,
      log,
      signal,
    })
    if (count > 0) log.info({ count }, 'deleted old events')
  })
  return [...cleanups, pruning, retention, startCountingExpiring(background, log)]
}

/** Interval at which tokens that expire soon are counted: "soon" is a week. */
const expiringIntervalMs = 300_000

/** Nothing is said before the first count. */
function startCountingExpiring(background: Database, log: Logger): Running {
  let expiring: number | undefined
  const stop = observeGauge('svc.tokens.expiring', (result) => {
    if (expiring !== undefined) result.observe(expiring)
  })
  const counting = startEvery(expiringIntervalMs, log, async () => {
    expiring = await countExpiring(background)
  })
  return {
    async close() {
      stop()
      await counting.close()
    },
  }
}

const noKey = 'changes.key is not set: the log of events could be rewritten without a trace'

/** Interval of the deletion of old events. */
const retentionIntervalMs = 600_000

/** Interval at which counted events are logged: one row stands for those of a minute. */
const flushIntervalMs = 60_000

/** Logs what is counted, also what was counted last. */
function startFlushing({ background, events, log }: ServiceContext): Running {
  const flushing = startEvery(flushIntervalMs, log, () => events.flush(background))
  return {
    async close() {
      await flushing.close()
      await events.flush(background).catch((error: unknown) => {
        log.error({ err: error }, 'cannot log the events that were counted')
      })
    },
  }
}
