import { chainKeysOf } from '@svc/audit'
import { assertionKeysOf, databaseUrl, directDatabaseUrl, type Settings } from '@svc/config'
import {
  checkSessions,
  type Database,
  DatabaseClock,
  migrate,
  openDatabase,
  readClock,
  waitForMigrations,
  watchState,
} from '@svc/database'
import type { ProcessContext, Serving } from '@svc/process'
import { protectionOf, RpcServer } from '@svc/rpc'
import { type Logger, startAll, startEvery } from '@svc/runtime'
import { authorizeByAssertion } from './authorize-call.ts'
import { configureLog } from './changes/log-settings.ts'
import { limitNamespaces } from './changes/size-limits.ts'
import { pruneTombstones } from './changes/tombstones.ts'
import { startApplier } from './drafts/applier.ts'
import { sweepDrafts } from './drafts/sweep.ts'
import { removeSilentGateways } from './gateways/gateways.store.ts'
import { startRetention } from './history/retention.ts'
import { maxReads } from './replication/change-feed.ts'
import { startChangeFeed } from './replication/following.ts'
import { migrations, schema } from './schema.ts'
import { seed } from './seed/seed.ts'
import { addServices } from './services.ts'

/** What {@link startResource} reads of the settings. */
type ResourceContext = Pick<ProcessContext, 'log' | 'onWait'> & {
  readonly settings: Pick<Settings, 'changes' | 'db' | 'internal' | 'resource' | 'seed'>
}

/** Brings the schema up to date, as the owner of its tables if that is another role than the service's. */
export async function migrateResource(context: ResourceContext): Promise<undefined> {
  const { settings, log, onWait } = context
  const ownerUrl = settings.db.ownerUrl?.reveal()
  const directUrl = directDatabaseUrl(settings)
  const options = { log, onWait, ownerUrl, directUrl }
  await migrate(databaseUrl(settings), schema, migrations, options)
}

/**
 * The resource service. It listens once its schema is up to date and everything that gateways are sent
 * has been read: until then another replica serves them better.
 */
export async function startResource(context: ResourceContext): Promise<Serving> {
  const { settings, log, onWait } = context
  const protection = protectionOf(settings, log)
  const assertionKeys = assertionKeysOf(settings)
  const url = databaseUrl(settings)
  const directUrl = directDatabaseUrl(settings)
  if (settings.db.autoMigrate) await migrateResource(context)
  else await waitForMigrations(directUrl, schema, migrations, { log, onWait })
  await checkSessions(url, {
    log,
    onWait,
    directUrl,
    isMigratedByOthers: !settings.db.autoMigrate,
  })

  return startAll(async (track) => {
    const { maxConnections } = settings.db
    // Each may wait for the row of its namespace, which another replica has, and reads may not wait for them.
    const maxWriting = Math.max(1, Math.round((maxConnections * 2) / 3))
    const db = openDatabase(url, { name: 'resource', maxConnections, maxWriting, log })
    const background = openDatabase(url, { ...backgroundConnections, log })
    const watch = watchState(background, [db], log)
    track(db, background, watch)
    limitNamespaces(db, settings.resource.maxNamespaceMib * 2 ** 20)
    const keys = chainKeysOf(settings.changes)
    const { dailyBytes, retention: retentionMs } = settings.changes
    configureLog(db, { keys, dailyBytes })
    if (settings.changes.key === undefined) log.warn(noKey)
    await seed({ db, background, log, ...settings.seed })
    const changes = startChangeFeed(directUrl, background, log)
    const prune = () => pruneTombstones(background, log, tombstoneAgeMs)
    const sweep = () => removeSilentGateways(background)
    const clock = startClock(background, log)
    const jobs = [
      startEvery(pruneIntervalMs, log, prune),
      startEvery(sweepIntervalMs, log, sweep),
      startEvery(sweepIntervalMs, log, () => sweepDrafts(background, log)),
      startRetention({ db: background, log, keys, retentionMs }),
    ]
    const applier = startApplier({ db, background, log })
    track(clock, changes, applier, ...jobs)
    const server = new RpcServer({
      log,
      protection,
      authorizeCall: authorizeByAssertion(assertionKeys, log, clock.nowMs),
    })
    addServices(server, db, changes.feed, clock.nowMs, applier.run)
    await Promise.all([changes.feed.loaded, clock.known])
    const port = await server.listen(settings.resource.listen)
    track(server)
    log.info({ port }, 'resource service is listening')
    return { port, readiness: watch.readiness }
  })
}

const noKey = 'changes.key is not set: the change log could be rewritten without a trace'

/**
 * Pool of its own for replication and jobs, so that requests cannot delay them. Some connections read
 * namespaces. One reads the revisions, by which an outage of the database is detected in time; one
 * deletes tombstones and the rows of gateways, one keeps the change log in bounds, one reads the clock, and
 * one is for drafts.
 */
const backgroundConnections = {
  name: 'resource background',
  maxConnections: maxReads + 5,
  acquireTimeoutMs: 1500,
}

/** Retention of tombstones: far longer than a gateway takes to restart, or a network to heal. */
const tombstoneAgeMs = 3_600_000
const pruneIntervalMs = 600_000

/** Interval of the deletion of silent gateways and of old drafts: no answer has them meanwhile. */
const sweepIntervalMs = 60_000

/** Interval between readings of the database's clock, of which one may fail. */
const clockIntervalMs = 1000

/** The clock that all services share: auth dates assertions by it, and their age is judged by it. */
function startClock(db: Database, log: Logger) {
  const clock = new DatabaseClock({ log })
  const { promise: known, resolve } = Promise.withResolvers<void>()
  const readings = startEvery(clockIntervalMs, log, () =>
    // The change feed reports an outage of the database. The clock still runs meanwhile.
    clock.synchronize(() => readClock(db)).then(resolve, () => {}),
  )
  return {
    nowMs: () => clock.nowMs(),
    /** Resolves with the first reading. */
    known,
    close: () => readings.close(),
  }
}
