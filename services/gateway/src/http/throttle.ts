import { maxEntries } from '@svc/runtime'
import { LRUCache } from 'lru-cache'

/** About 10 MB when all are in use. Beyond it, the least recently used key is forgotten. */
const keys = maxEntries(100_000)

export interface ThrottleOptions {
  /** How much may happen at once, after a time of quiet. */
  readonly burst: number
  /** How much of it may happen again with each second. */
  readonly perSecond: number
  /** A clock that never goes back, in milliseconds. */
  readonly now?: () => number
}

/** A token bucket for each key. The function takes a token, and says whether there was one. */
export function createThrottle(options: ThrottleOptions): (key: string) => boolean {
  const { burst, perSecond, now: clock = () => performance.now() } = options
  const perMs = perSecond / 1000
  /** When each bucket will be full again. The others are. */
  const fullAt = new LRUCache<string, number>(keys)
  return (key) => {
    const now = clock()
    const missing = Math.max(0, ((fullAt.get(key) ?? now) - now) * perMs)
    if (missing + 1 > burst) return false
    fullAt.set(key, now + (missing + 1) / perMs)
    return true
  }
}
