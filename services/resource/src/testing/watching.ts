import type { Database } from '@svc/database'
import { WatchServiceDefinition } from '@svc/proto/resource/v1/watch'
import { RpcChannel, RpcServer, unprotected } from '@svc/rpc'
import { createLogger } from '@svc/runtime'
import { waitFor } from '@svc/runtime/testing'
import { startChangeFeed } from '../replication/following.ts'
import { watchHandlers } from '../replication/watch.rpc.ts'
import type { Copy } from './copy.ts'
import { openResources, type Resources, type Test } from './resources.ts'

export type Watched = Resources & {
  /** Starts to keep `copy` up to date; @returns what ends that. */
  watch(copy: Copy): () => Promise<void>
  /** Waits until all that is committed by now is what watchers are sent. */
  isHeard(): Promise<void>
}

/** A server of the stream on a database of the test's own. */
export async function openWatched(t: Test, heartbeatMs?: number): Promise<Watched> {
  return serveWatch(t, await openResources(t), heartbeatMs)
}

/** @param url of the database, or of a way to it */
export async function serveWatch(
  t: Test,
  resources: Resources,
  heartbeatMs?: number,
  { url, db }: { readonly url: string; readonly db: Database } = {
    url: resources.db.url,
    db: resources.db,
  },
): Promise<Watched> {
  const log = createLogger({ level: 'silent', encoding: 'json' }, 'test')
  const { feed, close } = startChangeFeed(url, db, log)
  const server = new RpcServer({ log, protection: unprotected }).add(
    WatchServiceDefinition,
    watchHandlers(feed, Date.now, heartbeatMs),
  )
  await feed.loaded
  const port = await server.listen('127.0.0.1:0')
  const channel = new RpcChannel(`127.0.0.1:${port}`, { name: 'the resource service' })
  t.teardown(async () => {
    channel.close()
    await server.close()
    await close()
  })
  return {
    ...resources,
    watch(copy) {
      const leaving = new AbortController()
      const { revisions } = copy
      const responses = channel
        .client(WatchServiceDefinition)
        .watch({ revisions }, { signal: leaving.signal })
      const done = follow(responses, copy, leaving.signal)
      return async () => {
        leaving.abort()
        await done
        copy.disconnect()
      }
    },
    async isHeard() {
      const startedAt = performance.now()
      await feed.refresh()
      await waitFor(() => feed.completeAt >= startedAt)
    },
  }
}

/** Keeps a copy up to date until `signal` aborts. */
export async function follow(
  responses: AsyncIterable<Parameters<Copy['apply']>[0]>,
  copy: Copy,
  signal: AbortSignal,
): Promise<void> {
  try {
    for await (const response of responses) copy.apply(response)
  } catch (error) {
    if (!signal.aborted) throw error
  }
}
