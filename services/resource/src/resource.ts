import { readFile } from 'node:fs/promises'
import { type Database, migrate, openDatabase, waitForMigrations } from '@svc/database'
import {
  every,
  type Logger,
  type ProcessContext,
  RpcServer,
  type Running,
  requireSetting,
  type Settings,
} from '@svc/runtime'
import { migrations, schema } from './schema.ts'
import { addServices } from './services.ts'
import { startChangeFeed } from './watch/following.ts'
import { pruneTombstones } from './watch/tombstones.ts'

/** What {@link startResource} reads of the settings. */
type ResourceContext = Pick<ProcessContext, 'log'> & {
  readonly settings: Pick<Settings, 'db' | 'resource'>
}

/** Brings the schema up to date and does nothing else. */
export async function migrateResource({ settings, log }: ResourceContext): Promise<undefined> {
  await migrate(databaseUrl(settings), schema, migrations, log)
}

/** The resource service. It is ready when its tables are up to date. */
export async function startResource({
  settings,
  log,
}: ResourceContext): Promise<Running & { readonly port: number }> {
  const url = databaseUrl(settings)
  const server = new RpcServer(log)
  await addReflection(server, settings.resource.listen)
  if (settings.db.autoMigrate) await migrate(url, schema, migrations, log)
  else await waitForMigrations(url, schema, migrations, { log })

  const parts: Running[] = []
  const close = async () => {
    for (const part of parts.splice(0).reverse()) await part.close()
  }
  try {
    const db = openDatabase(url, {
      name: 'resource',
      maxConnections: settings.db.maxConnections,
      log,
    })
    const background = openDatabase(url, { ...backgroundConnections, log })
    parts.push(db, background)
    const changes = startChangeFeed(url, background, log)
    parts.push(changes, startPruning(background, log))
    addServices(server, db, changes.feed)
    const port = await server.listen(settings.resource.listen)
    parts.push(server)
    log.info({ port }, 'resource service is listening')
    return { port, close }
  } catch (error) {
    await close()
    throw error
  }
}

/**
 * Apart from those of requests: however many of them there are, watchers hear of changes. One reads
 * revisions, the others what has changed for watchers who stand at different places.
 */
const backgroundConnections = {
  name: 'resource background',
  maxConnections: 4,
  acquireTimeoutMs: 5000,
}

/** Far longer than a gateway is away when it is started anew, or cut off from here. */
const tombstoneAgeMs = 3_600_000
const pruneIntervalMs = 600_000

function databaseUrl({ db }: Pick<Settings, 'db'>): string {
  return requireSetting(db.url, 'db.url').reveal()
}

function startPruning(db: Database, log: Logger): Running {
  const closing = new AbortController()
  const pruning = every(pruneIntervalMs, closing.signal, log, () =>
    pruneTombstones(db, tombstoneAgeMs),
  )
  return {
    async close() {
      closing.abort()
      await pruning
    },
  }
}

/** Lets tools such as grpcurl ask what there is, where only this machine can ask. */
async function addReflection(server: RpcServer, address: string): Promise<void> {
  if (!/^(127\.[\d.]+|\[::1\]|localhost):\d+$/.test(address)) return
  const descriptors = new URL(import.meta.resolve('@svc/proto/descriptors.binpb'))
  server.addReflection(await readFile(descriptors))
}
