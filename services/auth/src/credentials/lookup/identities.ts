import { isJwtShaped } from '@svc/access'
import type { Settings } from '@svc/config'
import { type Database, DatabaseClock, listen } from '@svc/database'
import { every, type Logger, type Running } from '@svc/runtime'
import type { JwtMethod } from '../../methods/jwt/jwt.ts'
import { openRedisCache } from '../cache/redis-cache.ts'
import { noTokenCache, type TokenCache, type TokenCacheListener } from '../cache/token-cache.ts'
import { RecentRevocations } from '../revocations/recent-revocations.ts'
import { pollIntervalMs, RevocationFeed } from '../revocations/revocation-feed.ts'
import { channel } from '../revocations/revocations.store.ts'
import { type Admits, type Authenticate, authenticate, identify } from './authenticate.ts'
import { readCacheKey } from './keys.store.ts'
import { type AuthenticateTicket, TicketHolders } from './tickets.ts'
import { TokenLookup } from './token-lookup.ts'

export interface IdentitiesParts {
  readonly url: string
  /** For requests. */
  readonly db: Database
  /** For following the revocations, whatever happens to those. */
  readonly background: Database
  readonly redis: Settings['cache']['redis']
  /** Whether who has logged in may still come in. */
  readonly admits: Admits
  /** Left out: what looks like a JWT is a client token as any other. */
  readonly jwt?: JwtMethod | undefined
  readonly log: Logger
}

export interface Identities extends Running {
  readonly authenticate: Authenticate
  readonly authenticateTicket: AuthenticateTicket
  readonly revocations: RecentRevocations
  readonly shared: TokenCache
  readonly isFollowing: () => boolean
  /** By the clock of the database, in milliseconds since 1970. */
  readonly nowMs: () => number
}

/** Whatever tells whose a token is, kept up to date until it is closed. */
export async function startIdentities(parts: IdentitiesParts): Promise<Identities> {
  const { url, db, background, redis, jwt, admits, log } = parts
  const clock = new DatabaseClock({ log })
  const revocations = new RecentRevocations()
  const feed = new RevocationFeed({ db: background, clock, revocations, log })
  const key = await readCacheKey(background)
  await feed.load()

  const isFollowing = () => feed.isFollowing()
  const shared = openSharedCache(redis, log, {
    onRevoked: (tokenHash) => lookup.forget(tokenHash),
    onGap: () => lookup.forgetAll(),
  })
  const lookup = new TokenLookup({ db, shared, key, clock, revocations, isFollowing, log })
  revocations.listen({
    onRevoked: (tokenHash) => lookup.forget(tokenHash),
    onGap: () => lookup.forgetAll(),
  })

  const deciding = { lookup, clock, revocations, admits }
  const holders = new TicketHolders(db)

  const closing = new AbortController()
  const { signal } = closing
  const polling = every(pollIntervalMs, signal, log, () => feed.poll())
  const onConnect = () => {
    lookup.forgetUnknown()
    return feed.read()
  }
  const listening = listen(url, channel, {
    signal,
    log,
    onConnect,
    // When it fails, the next poll comes within a second.
    onNotification: () => void onConnect().catch(() => {}),
  })
  return {
    authenticate: (credential) =>
      jwt !== undefined && isJwtShaped(credential)
        ? jwt.authenticate(credential, clock.nowMs())
        : authenticate(deciding, credential),
    authenticateTicket: async (ticket) => identify(deciding, await holders.tokenHashOf(ticket)),
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
