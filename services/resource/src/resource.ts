import { assertionKeysOf, requireSetting, type Settings } from '@svc/config'
import {
  type Database,
  DatabaseClock,
  migrate,
  openDatabase,
  readClock,
  waitForMigrations,
} from '@svc/database'
import type { ProcessContext } from '@svc/process'
import { protectionOf, RpcServer } from '@svc/rpc'
import { type Logger, type Running, startAll, startEvery } from '@svc/runtime'
import { authorizeByAssertion } from './authorize-call.ts'
import { limitNamespaces } from './changes/size-limits.ts'
import { pruneTombstones } from './changes/tombstones.ts'
import { maxReads } from './replication/change-feed.ts'
import { startChangeFeed } from './replication/following.ts'
import { migrations, schema } from './schema.ts'
import { addServices } from './services.ts'

/** What {@link startResource} reads of the settings. */
type ResourceContext = Pick<ProcessContext, 'log'> & {
  readonly settings: Pick<Settings, 'db' | 'internal' | 'resource'>
}

/** Brings the schema up to date, as the owner of its tables if that is another role than the service's. */
export async function migrateResource({ settings, log }: ResourceContext): Promise<undefined> {
  const serviceUrl = databaseUrl(settings)
  const url = settings.db.ownerUrl?.reveal() ?? serviceUrl
  await migrate(url, schema, migrations, log, { serviceUrl })
}

/**
 * The resource service. It listens when its tables are up to date and it has read everything that
 * gateways are sent: until then they are better served by another replica.
 */
export async function startResource({
  settings,
  log,
}: ResourceContext): Promise<Running & { readonly port: number }> {
  const protection = protectionOf(settings)
  const assertionKeys = assertionKeysOf(settings)
  const url = databaseUrl(settings)
  if (settings.db.autoMigrate) await migrateResource({ settings, log })
  else await waitForMigrations(url, schema, migrations, { log })

  return startAll(async (track) => {
    const { maxConnections } = settings.db
    const db = openDatabase(url, { name: 'resource', maxConnections, log })
    const background = openDatabase(url, { ...backgroundConnections, log })
    track(db, background)
    limitNamespaces(db, settings.resource.maxNamespaceMib * 2 ** 20)
    const changes = startChangeFeed(url, background, log)
    const prune = () => pruneTombstones(background, tombstoneAgeMs)
    const clock = startClock(background, log)
    track(clock, changes, startEvery(pruneIntervalMs, log, prune))
    const server = new RpcServer({
      log,
      protection,
      authorizeCall: authorizeByAssertion(assertionKeys, log, clock.nowMs),
      descriptorSet: new URL(import.meta.resolve('@svc/proto/descriptors.binpb')),
    })
    addServices(server, db, changes.feed)
    await Promise.all([changes.feed.loaded, clock.known])
    const port = await server.listen(settings.resource.listen)
    track(server)
    log.info({ port }, 'resource service is listening')
    return { port }
  })
}

/**
 * Apart from those of requests: however many of them there are, watchers hear of changes. Some read
 * namespaces; one is for the revisions, so that it is known in time that the database is away, one for
 * what is tidied up, and one for the clock.
 */
const backgroundConnections = {
  name: 'resource background',
  maxConnections: maxReads + 3,
  acquireTimeoutMs: 1500,
}

/** Far longer than a gateway is away when it is started anew, or cut off from here. */
const tombstoneAgeMs = 3_600_000
const pruneIntervalMs = 600_000

/** Between two readings of the database's clock, of which one may fail. */
const clockIntervalMs = 1000

/** The clock that all services share: auth makes assertions by it, which are young when they come. */
function startClock(db: Database, log: Logger) {
  const clock = new DatabaseClock({ log })
  const { promise: known, resolve } = Promise.withResolvers<void>()
  const readings = startEvery(clockIntervalMs, log, () =>
    // Whoever follows the changes says when the database is away. The clock goes on meanwhile.
    clock.synchronize(() => readClock(db)).then(resolve, () => {}),
  )
  return {
    nowMs: () => clock.nowMs(),
    /** Resolves with the first reading. */
    known,
    close: () => readings.close(),
  }
}

/** @throws {SettingsError} when it is missing */
export function databaseUrl({ db }: Pick<Settings, 'db'>): string {
  return requireSetting(db.url, 'db.url').reveal()
}
