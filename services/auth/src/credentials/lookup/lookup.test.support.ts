import { ticketMac } from '@svc/access'
import { type Database, DatabaseClock, openDatabase, type Queryable } from '@svc/database'
import type { TestDatabase } from '@svc/database/testing'
import type { Test } from 'tap'
import { silent } from '../../auth.test.support.ts'
import { noTokenCache, type TokenCache } from '../cache/redis-cache.ts'
import { readCacheKey } from '../keys.store.ts'
import { insertAuthentication } from '../records/authentications.store.ts'
import { generateToken, hashToken, toBytes, tokenKeys } from '../records/token.ts'
import { RecentRevocations } from '../revocations/recent-revocations.ts'
import type { HooksByMethod } from './method-hooks.ts'
import { TokenLookup } from './token-lookup.ts'

/** Passes statements on, counts them, and can hold back what they found. */
export class WatchedDatabase implements Queryable {
  readonly #db: Queryable
  count = 0
  /** Awaited between reading a result and giving it out. */
  hold: Promise<void> = Promise.resolve()
  /** Called between the two. */
  onRead = () => {}

  constructor(db: Queryable) {
    this.#db = db
  }

  async query<Row>(text: string, values?: readonly unknown[]): Promise<Row[]> {
    this.count += 1
    const rows = await this.#db.query<Row>(text, values)
    this.onRead()
    await this.hold
    return rows
  }
}

export interface LookupOptions {
  readonly shared?: TokenCache
  readonly clock?: DatabaseClock
  /** Where tokens are looked up. */
  readonly source?: Queryable
}

/** A lookup over a real database, as one process has it, without what follows revocations. */
export async function openLookup(db: TestDatabase, options: LookupOptions = {}) {
  const { shared = noTokenCache, clock = new DatabaseClock(), source = db } = options
  const watched = new WatchedDatabase(source)
  const revocations = new RecentRevocations()
  const following = { isOn: true }
  const lookup = new TokenLookup({
    db: watched,
    shared,
    key: await readCacheKey(db),
    clock,
    revocations,
    isFollowing: () => following.isOn,
    log: silent,
  })
  revocations.listen({ onRevoked: (tokenHash) => lookup.invalidate(tokenHash) })
  const hooks: HooksByMethod = new Map()
  const deciding = { lookup, clock, revocations, hooks }
  return { deciding, lookup, clock, revocations, watched, following }
}

/** A database that cannot be reached. */
export function openNowhere(t: Test): Database {
  const options = { name: 'nowhere', maxConnections: 1, log: silent }
  const db = openDatabase('postgres://svc@127.0.0.1:1/svc', options)
  t.teardown(() => db.close())
  return db
}

/** What a gateway sends of a token to prove that its caller has it. */
export function ticketOf(tokenId: string, clientToken: string, namespaceKey: string) {
  const mac = ticketMac(toBytes(hashToken(clientToken)), namespaceKey)
  return { tokenId, namespaceKey, mac }
}

/** @returns the token, its hash and its id */
export async function makeToken(db: Queryable, expiresAt?: { seconds: number; nanos: number }) {
  const clientToken = generateToken()
  const tokenHash = hashToken(clientToken)
  const row = await insertAuthentication(db, {
    method: 'METHOD_TOKEN',
    tokenHash,
    metadata: { [tokenKeys.name]: 'test' },
    expiresAt,
  })
  return { clientToken, tokenHash, id: row?.id ?? '' }
}
