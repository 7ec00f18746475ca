import { type Database, listen } from '@svc/database'
import { every, type Logger, type Running } from '@svc/runtime'
import { changesChannel } from '../changes.store.ts'
import { ChangeFeed } from './change-feed.ts'

/** What a change that nobody was told of takes to be seen, at most. */
const pollIntervalMs = 1000

/** A feed that hears of every commit. The caller opened `db` and closes it afterwards. */
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
  const onNotification = (payload: string) => feed.hear(payload)
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
