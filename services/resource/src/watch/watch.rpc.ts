import type { WatchResponse, WatchServiceDefinition } from '@svc/proto/resource/v1/watch'
import type { Handlers } from '@svc/runtime'
import type { ChangeFeed } from './change-feed.ts'

/** Watchers take three in a row that do not come for a broken stream. */
const defaultHeartbeatMs = 5000

/** How soon to ask a database again that did not answer. */
const retryMs = 1000

export function watchHandlers(feed: ChangeFeed, heartbeatMs = defaultHeartbeatMs) {
  return {
    async *watch({ revisions }, { signal }) {
      const held = new Map(Object.entries(revisions))
      // The caller may come from a replica that had heard of more than this one has.
      let isCurrent = await feed.refresh()
      let isSynced = false
      let heartbeatAt = performance.now() + heartbeatMs
      while (!signal.aborted) {
        const seen = feed.version
        isCurrent ||= await feed.refresh()
        const isUpToDate = isCurrent && (yield* sendChanges(feed, held))
        if (isUpToDate && !isSynced) {
          isSynced = true
          yield { synced: {} }
        }
        // Also while the database is away: the stream itself is sound.
        if (performance.now() >= heartbeatAt) {
          yield { heartbeat: {} }
          heartbeatAt = performance.now() + heartbeatMs
        }
        const untilHeartbeatMs = Math.max(heartbeatAt - performance.now(), 0)
        const waitMs = isUpToDate ? untilHeartbeatMs : Math.min(untilHeartbeatMs, retryMs)
        await feed.next(seen, waitMs, signal)
      }
    },
  } satisfies Handlers<WatchServiceDefinition>
}

/**
 * Sends what `held` lacks, and notes in it what was sent.
 *
 * @returns whether that is all; not when the database does not answer
 */
async function* sendChanges(
  feed: ChangeFeed,
  held: Map<string, number>,
): AsyncGenerator<WatchResponse, boolean> {
  for (const key of feed.differing(held)) {
    const changes = await feed.changesSince(key, held.get(key) ?? 0)
    if (changes === undefined) return false
    for (const change of changes) yield { change }
    const last = changes.at(-1)
    if (last?.deleted) held.delete(key)
    else if (last !== undefined) held.set(key, last.revision)
  }
  return true
}
