import type { Settings } from '@svc/config'
import { type Database, DatabaseClock, listen } from '@svc/database'
import { every, type Logger, type Running } from '@svc/runtime'
import { databaseUrl } from '../schema.ts'
import { openRedisCache } from './cache/redis-cache.ts'
import { noTokenCache, type TokenCache, type TokenCacheListener } from './cache/token-cache.ts'
import { readCacheKey } from './keys.store.ts'
import { type Authenticate, authenticate, identify } from './lookup/authenticate.ts'
import type { HooksByMethod } from './lookup/method-hooks.ts'
import { type AuthenticateTicket, TicketHolders } from './lookup/tickets.ts'
import { TokenLookup } from './lookup/token-lookup.ts'
import { RecentRevocations } from './revocations/recent-revocations.ts'
import { pollIntervalMs, RevocationFeed } from './revocations/revocation-feed.ts'
import { channel } from './revocations/revocations.store.ts'
import { type Revoke, revokeWith } from './revocations/revoke.ts'

/** What exists before the first credential can be looked up. */
export interface Resources<S extends Settings = Settings> {
  readonly settings: S
  readonly log: Logger
  /** Connections for requests. */
  readonly db: Database
  /** Connections for starts and jobs: those never wait for requests, nor requests for them. */
  readonly background: Database
}

export interface Credentials extends Running {
  readonly authenticate: Authenticate
  readonly authenticateTicket: AuthenticateTicket
  readonly hooks: HooksByMethod
  readonly revoke: Revoke
  readonly revocations: RecentRevocations
  readonly shared: TokenCache
  readonly isFollowing: () => boolean
  /** By the clock of the database, in milliseconds since 1970. */
  readonly nowMs: () => number
}

/** Starts the lookup of credentials and keeps it up to date until it is closed. */
export async function startCredentials(
  { settings, db, background, log }: Resources,
  hooks: HooksByMethod,
): Promise<Credentials> {
  const clock = new DatabaseClock({ log })
  const revocations = new RecentRevocations()
  const feed = new RevocationFeed({ db: background, clock, revocations, log })
  const key = await readCacheKey(background)
  await feed.load()

  const isFollowing = () => feed.isFollowing()
  const shared = openSharedCache(settings.cache.redis, log, {
    onRevoked: (tokenHash) => lookup.invalidate(tokenHash),
    onGap: () => lookup.invalidateAll(),
  })
  const lookup = new TokenLookup({ db, shared, key, clock, revocations, isFollowing, log })
  revocations.listen({
    onRevoked: (tokenHash) => lookup.invalidate(tokenHash),
    onGap: () => lookup.invalidateAll(),
  })

  const deciding = { lookup, clock, revocations, hooks }
  const holders = new TicketHolders(db)

  const closing = new AbortController()
  const { signal } = closing
  const polling = every(pollIntervalMs, signal, log, () => feed.poll())
  const onConnect = () => {
    lookup.invalidateMisses()
    return feed.read()
  }
  const listening = listen(databaseUrl(settings), channel, {
    signal,
    log,
    onConnect,
    // When it fails, the next poll comes within a second.
    onNotification: () => void onConnect().catch(() => {}),
  })
  return {
    authenticate: (credential) => authenticate(deciding, credential),
    authenticateTicket: async (ticket) => identify(deciding, await holders.tokenHashOf(ticket)),
    hooks,
    revoke: revokeWith({ db, shared, revocations }),
    revocations,
    shared,
    isFollowing,
    nowMs: () => clock.nowMs(),
    async close() {
      closing.abort()
      shared.close()
      await Promise.all([polling, listening])
    },
  }
}

function openSharedCache(
  { url, prefix }: Settings['cache']['redis'],
  log: Logger,
  listener: TokenCacheListener,
): TokenCache {
  if (url === undefined) return noTokenCache
  return openRedisCache({ url: url.reveal(), prefix, log, listener })
}
