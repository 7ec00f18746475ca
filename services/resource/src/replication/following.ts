import { type Database, listen } from '@svc/database'
import { every, type Logger, type Running } from '@svc/runtime'
import { changesChannel } from '../changes/stamp.store.ts'
import { ChangeFeed } from './change-feed.ts'

/**
 * Interval of polls for changes whose notification was lost: they are to be seen within a second. With
 * a thousand namespaces it takes a hundredth of a core.
 */
const pollIntervalMs = 500

/** A feed that is notified of every commit. The caller opens and closes `db`. */
export function startChangeFeed(
  url: string,
  db: Database,
  log: Logger,
): Running & { readonly feed: ChangeFeed } {
  const feed = new ChangeFeed(db, log)
  const closing = new AbortController()
  const { signal } = closing
  const refresh = async () => {
    await feed.refresh()
  }
  const onNotification = (payload: string) => feed.onNotification(payload)
  const jobs = [
    listen(url, changesChannel, { signal, log, onConnect: refresh, onNotification }),
    every(pollIntervalMs, signal, log, refresh),
  ]
  return {
    feed,
    async close() {
      closing.abort()
      await Promise.all(jobs)
      await feed.close()
    },
  }
}
