import { chainKeysOf } from '@svc/audit'
import { directDatabaseUrl, type Settings } from '@svc/config'
import { DatabaseClock, listen } from '@svc/database'
import { every, type Running } from '@svc/runtime'
import { observeGauge } from '@svc/telemetry'
import { EventLog } from '../events/event-log.ts'
import { AuthenticationCounts } from './authentication-metrics.ts'
import { noTokenCache, openRedisCache } from './cache/redis-cache.ts'
import type { ServiceContext } from './context.ts'
import { readCacheKey } from './keys.store.ts'
import { authenticate, identify, secretOfTicket } from './lookup/authenticate.ts'
import type { HooksByMethod } from './lookup/method-hooks.ts'
import { TokenLookup } from './lookup/token-lookup.ts'
import type { Hash } from './records/token.ts'
import { RecentRevocations } from './revocations/recent-revocations.ts'
import { pollIntervalMs, RevocationFeed } from './revocations/revocation-feed.ts'
import { channel } from './revocations/revocations.store.ts'
import { revokeWith } from './revocations/revoke.ts'

/** Starts the lookup of credentials and keeps it up to date until it is closed. */
export async function startCredentials<S extends Settings>(
  resources: Pick<ServiceContext<S>, 'background' | 'db' | 'log' | 'settings'>,
  hooks: HooksByMethod,
): Promise<ServiceContext<S> & Running> {
  const { settings, db, background, log } = resources
  const events = new EventLog(chainKeysOf(settings.changes))
  const clock = new DatabaseClock({ log })
  const revocations = new RecentRevocations()
  const feed = new RevocationFeed({ db: background, clock, revocations, log })
  const key = await readCacheKey(background)
  await feed.load()
  const endMeasuring = observeGauge('svc.revocation.age', (result) =>
    result.observe(feed.ageMs / 1000),
  )

  const isFollowing = () => feed.isFollowing()
  const listener = {
    onRevoked: (tokenHash: Hash) => lookup.invalidate(tokenHash),
    onGap: () => lookup.invalidateAll(),
  }
  const { url, prefix } = settings.cache.redis
  const shared =
    url === undefined ? noTokenCache : openRedisCache({ url: url.reveal(), prefix, log, listener })
  const lookup = new TokenLookup({ db, shared, key, clock, revocations, isFollowing, log })
  revocations.listen(listener)

  const deciding = { lookup, clock, revocations, hooks }
  const closing = new AbortController()
  const { signal } = closing
  const polling = every(pollIntervalMs, signal, log, () => feed.poll())
  const onConnect = () => {
    lookup.invalidateMisses()
    return feed.read()
  }
  const listening = listen(directDatabaseUrl(settings), channel, {
    signal,
    log,
    onConnect,
    // When it fails, the next poll comes within a second.
    onNotification: () => void onConnect().catch(() => {}),
  })
  return {
    ...resources,
    authenticate: (credential) => authenticate(deciding, credential),
    authenticateTicket: async (ticket) => identify(deciding, await secretOfTicket(db, ticket)),
    hooks,
    revoke: revokeWith({ db, shared, revocations, events }),
    events,
    counts: new AuthenticationCounts(),
    revocations,
    shared,
    isFollowing,
    nowMs: () => clock.nowMs(),
    async close() {
      endMeasuring()
      closing.abort()
      shared.close()
      await Promise.all([polling, listening])
    },
  }
}
