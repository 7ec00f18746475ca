import type { WatchResponse, WatchServiceDefinition } from '@svc/proto/resource/v1/watch'
import type { Handlers } from '@svc/runtime'
import type { ChangeFeed } from './change-feed.ts'
import { Heartbeats } from './heartbeats.ts'

/** Watchers take three in a row that do not come for a broken stream. */
const defaultHeartbeatMs = 5000

/** How soon to ask again a database that did not answer, or for what could not be read. */
const retryMs = 1000

export function watchHandlers(feed: ChangeFeed, heartbeatMs = defaultHeartbeatMs) {
  return {
    async *watch({ revisions }, { signal }) {
      const held = new Map(Object.entries(revisions))
      const retryAt = new Map<string, number>()
      const heartbeats = new Heartbeats(heartbeatMs, () => feed.ageMs)
      // The caller may come from a replica that had heard of more than this one has.
      let isCurrent = await feed.refresh()
      let isSynced = false
      while (!signal.aborted) {
        const seen = feed.version
        isCurrent ||= await feed.refresh()
        const isUpToDate = isCurrent && (yield* sendChanges(feed, held, retryAt, heartbeats))
        if (isUpToDate && !isSynced) {
          isSynced = true
          yield { synced: {} }
        }
        // Also while the database is away: the stream itself is sound.
        yield* heartbeats.whenDue()
        const { untilDueMs } = heartbeats
        await feed.next(seen, isUpToDate ? untilDueMs : Math.min(untilDueMs, retryMs), signal)
      }
    },
  } satisfies Handlers<WatchServiceDefinition>
}

/**
 * Sends what `held` lacks, and notes in it what was sent. What cannot be read is left for later,
 * and then comes last: it may take long to fail.
 *
 * @param retryAt when to try again the namespaces that could not be read
 * @returns whether that is all
 */
async function* sendChanges(
  feed: ChangeFeed,
  held: Map<string, number>,
  retryAt: Map<string, number>,
  heartbeats: Heartbeats,
): AsyncGenerator<WatchResponse, boolean> {
  const keys = feed.differing(held)
  for (const key of keys.toSorted((a, b) => Number(retryAt.has(a)) - Number(retryAt.has(b)))) {
    if (performance.now() < (retryAt.get(key) ?? 0)) continue
    const changes = yield* heartbeats.during(feed.changesSince(key, held.get(key) ?? 0))
    if (changes === undefined) {
      if (feed.isAway) return false
      retryAt.set(key, performance.now() + retryMs)
      continue
    }
    retryAt.delete(key)
    for (const change of changes) yield { change }
    const last = changes.at(-1)
    if (last?.deleted) held.delete(key)
    else if (last !== undefined) held.set(key, last.revision)
  }
  return keys.every((key) => !retryAt.has(key))
}
