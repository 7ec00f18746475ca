import type { WatchResponse, WatchServiceDefinition } from '@svc/proto/resource/v1/watch'
import type { Handlers } from '@svc/rpc'
import type { ChangeFeed } from './change-feed.ts'
import { toSent } from './messages.ts'

/** Watchers take three in a row that do not come for a broken stream. */
const defaultHeartbeatMs = 5000

/** @param nowMs the clock of the database, in milliseconds since 1970 */
export function watchHandlers(
  feed: ChangeFeed,
  nowMs: () => number,
  heartbeatMs = defaultHeartbeatMs,
) {
  return {
    async *watch({ revisions }, { signal }): AsyncGenerator<WatchResponse, void> {
      const held = new Map(Object.entries(revisions))
      const watcher = feed.join(held.keys())
      const heartbeats = new Heartbeats(heartbeatMs)
      // When all that had been committed had been sent; what comes later is on its way.
      let { completeAt } = feed
      let isSynced = false
      try {
        while (!signal.aborted) {
          const hasStatusChange = watcher.takeStatusChange()
          const upTo = feed.completeAt
          for (const key of watcher.takeChanged()) {
            for (const change of feed.changesFor(watcher, key, held.get(key)) ?? []) {
              yield { change: toSent(change, nowMs()) }
              if (heartbeats.untilDueMs === 0) yield heartbeats.beat(completeAt)
              if (change.more) continue
              if (change.deleted) held.delete(key)
              else held.set(key, change.revision)
            }
          }
          if (!watcher.isUnconfirmed) completeAt = upTo
          const isInStep = feed.isWhole && !watcher.isUnconfirmed
          if (isInStep && !isSynced) {
            yield heartbeats.beat(completeAt)
            yield { synced: {} }
            isSynced = true
          }
          if (hasStatusChange || heartbeats.untilDueMs === 0) yield heartbeats.beat(completeAt)
          await watcher.next(heartbeats.untilDueMs, signal)
        }
      } finally {
        feed.leave(watcher)
      }
    },
  } satisfies Handlers<WatchServiceDefinition>
}

/** Heartbeats of one stream: each shows that it is open, and the age of what was sent. */
class Heartbeats {
  readonly #intervalMs: number
  #dueAt: number

  constructor(intervalMs: number) {
    this.#intervalMs = intervalMs
    this.#dueAt = performance.now() + intervalMs
  }

  get untilDueMs(): number {
    return Math.max(this.#dueAt - performance.now(), 0)
  }

  /** @param completeAt when all that was committed had been sent, by `performance.now()` */
  beat(completeAt: number): WatchResponse {
    const now = performance.now()
    this.#dueAt = now + this.#intervalMs
    return { heartbeat: { ageMs: Math.ceil(now - completeAt) } }
  }
}
