import { timingSafeEqual } from 'node:crypto'
import { ticketMac } from '@svc/access'
import {
  type Identity,
  IdentityServiceDefinition,
  type ReportUsesRequest,
  type WatchRevocationsResponse,
} from '@svc/proto/auth/v1/identities'
import { type CallOptions, follow, type RpcChannel, type RpcClient } from '@svc/rpc'
import {
  AppError,
  type Logger,
  type MaybePromise,
  maxEntries,
  ResumeQueue,
  unavailable,
} from '@svc/runtime'
import { type FastCount, fastCounter, observeGauge } from '@svc/telemetry'
import { LRUCache } from 'lru-cache'
import type { HashedToken } from './credential.ts'
import { unauthenticated } from './errors.ts'
import { type Lookup, Lookups, type Sender } from './lookups.ts'
import type { Ticket } from './ticket.ts'

/** Enough for every token of a large installation; an entry takes about half a kilobyte. */
const entries = maxEntries(50_000)

/** TTL of an identity while revocations are followed, and while not; in milliseconds. */
const followedTtlMs = 30_000
const unfollowedTtlMs = 1000

/** Timeout of a call to auth, in milliseconds: time to notice a silent replica and to ask another. */
const timeoutMs = 2000

/** Heartbeats come every second; without one for this long, revocations may have been missed. */
const silenceMs = 2500

/** How long a revoked token is refused without asking, in milliseconds. A replica may lag two seconds. */
const refusedForMs = 10_000

/**
 * Backoff after auth could not be asked. Then one request asks, without waiting for the answer. What is asked ahead for one
 * token comes no sooner, either.
 */
const backoffMs = 1000

/** Auth sends a gateway that reconnects the last ten minutes; what is older was missed. */
const longestGapMs = 540_000

/**
 * Maximum age of an identity for anything but evaluation, with and without auth, in milliseconds. The
 * resource service accepts an assertion of auth for five seconds.
 */
const vouchedMs = 4000
const maxStaleManagementMs = 5000

/**
 * Maximum wait for its turn of a request for which auth has answered, in milliseconds: then there are more than a gateway
 * can serve. Below {@link refusedForMs}, so that a revocation meanwhile is remembered.
 */
const maxTurnWaitMs = 1000

/**
 * Of the time for which an identity is good, what passes before auth is asked ahead: requests go on meanwhile. Otherwise all
 * with one token would wait for one answer.
 */
const askAheadAt = 0.75

/** Stands for a request that carries no credential. */
export const anonymous: HashedToken = { token: '', tokenHash: '' }

interface Entry {
  readonly identity: Identity
  /** When auth last answered for it. */
  readonly confirmedAt: number
  /** When the token expires, by this process's clock. */
  readonly expiresAt: number
  /** Then auth vouches for nothing but events. */
  readonly isOfTicket: boolean
  /** When auth was last asked while requests went on. */
  askedAt: number
}

export interface IdentitiesOptions {
  /** How old an identity may be when auth cannot be asked, for evaluation; in milliseconds. */
  readonly maxStaleMs: number
  /** A clock that never goes back, in milliseconds. */
  readonly now?: () => number
}

/** Cache of callers by the SHA-256 of their tokens. What a caller may do, each request decides. */
export class Identities {
  readonly #client: RpcClient<typeof IdentityServiceDefinition>
  readonly #log: Logger
  readonly #now: () => number
  readonly #maxStaleMs: number
  readonly #entries = new LRUCache<string, Entry>(entries)
  readonly #lookups = new Lookups()
  readonly #resumeQueue = new ResumeQueue()
  readonly #revokedAt = new LRUCache<string, number>(entries)
  /** Hashes of the last two secrets of a token, by its id: while it is rotated both are good, and tickets are made of either. */
  readonly #holders = new LRUCache<string, readonly string[]>(entries)
  readonly #listeners = new Set<(tokenHash: string) => void>()
  #heartbeatAt = Number.NEGATIVE_INFINITY
  #unavailableUntil = Number.NEGATIVE_INFINITY
  readonly #hits: FastCount
  readonly #misses: FastCount

  constructor(channel: RpcChannel, log: Logger, options: IdentitiesOptions) {
    this.#client = channel.client(IdentityServiceDefinition)
    this.#log = log
    this.#maxStaleMs = options.maxStaleMs
    this.#now = options.now ?? (() => performance.now())
    const lookups = fastCounter('svc.identity.lookups')
    this.#hits = lookups({ layer: 'memory', result: 'hit' })
    this.#misses = lookups({ layer: 'memory', result: 'miss' })
    observeGauge('svc.revocation.age', (result) => {
      if (Number.isFinite(this.ageMs)) result.observe(this.ageMs / 1000)
    })
  }

  /** Time since the last heartbeat of the auth service, in milliseconds; infinite before the first. */
  get ageMs(): number {
    return this.#now() - this.#heartbeatAt
  }

  /** Whether revocations reach this process at this moment. */
  get isFollowing(): boolean {
    return this.ageMs < silenceMs
  }

  /**
   * @param forEvaluation evaluation uses cached identities longer while auth is unavailable
   * @param sender left out for anonymous callers, and for what was accepted before; see {@link Lookup}
   * @throws {AppError} `unauthenticated`, the same for whatever is wrong with the token;
   *   `unavailable` when auth cannot be asked and too little is known, or too much is asked
   */
  identify(
    { token, tokenHash }: HashedToken,
    forEvaluation: boolean,
    sender: Sender | undefined,
  ): MaybePromise<Identity> {
    const send = () => this.#client.authenticate({ clientToken: token }, { timeoutMs })
    return this.#find({ key: tokenHash, send, isOfTicket: false, sender }, forEvaluation)
  }

  /** @throws as {@link identify} does */
  identifyTicket(
    { tokenId, mac }: Ticket,
    namespaceKey: string,
    sender: Sender | undefined,
  ): MaybePromise<Identity> {
    const send = () =>
      this.#client.authenticateTicket({ tokenId, namespaceKey, mac }, { timeoutMs })
    const tokenHash = this.#holders
      .get(tokenId)
      ?.find((hash) => timingSafeEqual(mac, ticketMac(Buffer.from(hash, 'base64'), namespaceKey)))
    if (tokenHash !== undefined) {
      return this.#find({ key: tokenHash, send, isOfTicket: true, sender }, true)
    }
    const key = `${namespaceKey} ${tokenId} ${mac.toString('base64')}`
    return this.#askFirst({ key, send, isOfTicket: true, sender }, true)
  }

  /** @param listener gets the hash of a revoked token, in base64; must not throw */
  onRevoked(listener: (tokenHash: string) => void): () => void {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  /** Reports uses of tokens and refused requests to auth, 1,000 of each at most. */
  async report({ uses = [], refusals = [] }: Partial<ReportUsesRequest>): Promise<void> {
    await this.#client.reportUses({ uses, refusals }, { timeoutMs })
  }

  /** How much longer a credential that was looked at a moment ago is good for, by its hash in base64. */
  goodForMs(tokenHash: string): number {
    return (this.#entries.get(tokenHash)?.expiresAt ?? 0) - this.#now()
  }

  /** Whether a token, by its hash in base64, was revoked a moment ago. */
  isRevoked(tokenHash: string): boolean {
    if (this.#revokedAt.size === 0) return false
    const revokedAt = this.#revokedAt.get(tokenHash)
    return revokedAt !== undefined && this.#now() - revokedAt < refusedForMs
  }

  /** Follows the revocations until `signal` aborts, coming back after every break. */
  follow(signal: AbortSignal): Promise<void> {
    const stream = {
      name: 'revocations',
      silenceMs,
      open: (options: CallOptions) => this.#client.watchRevocations({}, options),
      accept: ({ tokenHashes }: WatchRevocationsResponse) => {
        for (const bytes of tokenHashes) this.#revoke(toBase64(bytes))
        // A heartbeat. Only this says that auth itself receives all revocations.
        if (tokenHashes.length > 0) return
        if (this.ageMs > longestGapMs) this.#entries.clear()
        this.#heartbeatAt = this.#now()
      },
    }
    return follow(stream, signal, this.#log)
  }

  #find(lookup: Lookup, forEvaluation: boolean): MaybePromise<Identity> {
    const known = this.#recall(lookup, forEvaluation)
    if (known === undefined) {
      this.#misses.count += 1
      return this.#askFirst(lookup, forEvaluation)
    }
    this.#hits.count += 1
    return known
  }

  /** @returns `undefined` when auth has to be asked first */
  #recall(lookup: Lookup, forEvaluation: boolean): Identity | undefined {
    // While auth can be asked it is, as for an unknown token: the time that takes must reveal nothing.
    if (this.isRevoked(lookup.key)) return undefined
    // Whatever is in use is set anew when auth has confirmed it: no need to note each use.
    const entry = this.#entries.peek(lookup.key)
    if (entry === undefined) return undefined
    const now = this.#now()
    const age = this.#ageOf(entry, forEvaluation)
    if (age < 1) {
      if (age >= askAheadAt) this.#askMeanwhile(lookup, entry)
      return entry.identity
    }
    // Where too little is known, auth is asked: one of its replicas may answer where another did not.
    if (!this.#isInOutage(now) || !this.#mayGoOn(entry, forEvaluation)) return undefined
    this.#askMeanwhile(lookup, entry)
    return this.#inOutage(entry, forEvaluation)
  }

  #isInOutage(now: number): boolean {
    return now < this.#unavailableUntil + timeoutMs
  }

  /** Asks, once a second for a token at most, and in an outage for all together. */
  #askMeanwhile(lookup: Lookup, entry: Entry): void {
    const now = this.#now()
    if (now < Math.max(this.#unavailableUntil, entry.askedAt + backoffMs)) return
    if (this.#isInOutage(now)) this.#unavailableUntil = now + backoffMs
    entry.askedAt = now
    this.#ask(lookup).catch(() => {})
  }

  /** All that come until auth answers, or does not within two seconds, wait for it, and then go on in turns. */
  async #askFirst(lookup: Lookup, forEvaluation: boolean): Promise<Identity> {
    const [asked] = await Promise.allSettled([this.#ask(lookup)])
    await this.#nextTurn(lookup)
    if (asked.status === 'rejected') return this.#withoutAnswer(lookup, asked.reason, forEvaluation)
    const tokenHash = toBase64(asked.value.tokenHash)
    // It may have been revoked, or have expired, while it waited for its turn.
    if (this.isRevoked(tokenHash)) throw unauthenticated('revoked')
    const entry = this.#entries.peek(tokenHash)
    if (entry !== undefined && this.#now() >= entry.expiresAt) throw unauthenticated('expired')
    return asked.value
  }

  /** @throws {AppError} `canceled` when the client has left, `unavailable` after too long a wait */
  async #nextTurn({ sender }: Lookup): Promise<void> {
    const waitsSince = this.#now()
    await this.#resumeQueue.next()
    if (sender?.hasLeft) throw new AppError('canceled', 'client_left', 'the client has left')
    // An open stream, which has no sender, would end with that.
    if (sender === undefined || this.#now() - waitsSince < maxTurnWaitMs) return
    const message = 'the gateway is overloaded, try again later'
    throw new AppError('unavailable', 'overloaded', message)
  }

  #withoutAnswer({ key }: Lookup, error: unknown, forEvaluation: boolean): Identity {
    if (!isOutage(error)) throw error
    // Before it was asked or meanwhile: what is certain needs no answer.
    if (this.isRevoked(key)) throw unauthenticated('revoked')
    const entry = this.#entries.get(key)
    if (entry === undefined) throw error
    return this.#inOutage(entry, forEvaluation)
  }

  /** @returns the age of an identity as a share of what it may be; from 1 on auth is asked first */
  #ageOf({ confirmedAt, expiresAt, isOfTicket }: Entry, forEvaluation: boolean): number {
    const now = this.#now()
    if (now >= expiresAt || (isOfTicket && !forEvaluation)) return 1
    const ttlMs = now - this.#heartbeatAt < silenceMs ? followedTtlMs : unfollowedTtlMs
    return (now - confirmedAt) / (forEvaluation ? ttlMs : Math.min(ttlMs, vouchedMs))
  }

  #ask(lookup: Lookup): Promise<Identity> {
    return this.#lookups.run(lookup, this.#entries.has(lookup.key), () => this.#send(lookup))
  }

  async #send({ key, send, isOfTicket }: Lookup): Promise<Identity> {
    const confirmedAt = this.#now()
    try {
      const identity = await send()
      const tokenHash = toBase64(identity.tokenHash)
      // A revocation may have been received while the call was under way.
      if (this.isRevoked(tokenHash)) throw unauthenticated('revoked')
      const expiresAt = confirmedAt + (identity.expiresInMs ?? Number.POSITIVE_INFINITY)
      const known = this.#entries.peek(tokenHash)
      // Auth vouches for no ticket: the answer to the token itself, which has just come, stays.
      if (!isOfTicket || known === undefined || this.#ageOf(known, false) >= 1) {
        const askedAt = Number.NEGATIVE_INFINITY
        this.#entries.set(tokenHash, { identity, confirmedAt, expiresAt, isOfTicket, askedAt })
      }
      this.#unavailableUntil = Number.NEGATIVE_INFINITY
      this.#hold(identity, tokenHash)
      return identity
    } catch (error) {
      if (isOutage(error)) this.#unavailableUntil = this.#now() + backoffMs
      else if (isVerdict(error)) this.#entries.delete(key)
      throw error
    }
  }

  #hold({ authentication }: Identity, tokenHash: string): void {
    const tokenId = authentication?.id
    if (!tokenId) return
    const [last = tokenHash, before = last] = this.#holders.get(tokenId) ?? []
    this.#holders.set(tokenId, [tokenHash, last === tokenHash ? before : last])
  }

  /** No token is revoked while auth is down for all; the bound is for a gateway that is cut off. */
  #inOutage(entry: Entry, forEvaluation: boolean): Identity {
    if (this.#now() >= entry.expiresAt) throw unauthenticated('expired')
    if (this.#mayGoOn(entry, forEvaluation)) return entry.identity
    throw unavailable('the auth service is unavailable, try again')
  }

  #mayGoOn({ confirmedAt, isOfTicket }: Entry, forEvaluation: boolean): boolean {
    const now = this.#now()
    return forEvaluation
      ? now - Math.max(confirmedAt, this.#heartbeatAt) < this.#maxStaleMs
      : now - confirmedAt < maxStaleManagementMs && !isOfTicket
  }

  #revoke(tokenHash: string): void {
    this.#entries.delete(tokenHash)
    this.#revokedAt.set(tokenHash, this.#now())
    for (const listener of this.#listeners) listener(tokenHash)
  }
}

function toBase64(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString('base64')
}

/** Whether auth has said that a token is good for nothing. All else may be over before what is known is too old. */
function isVerdict(error: unknown): boolean {
  return error instanceof AppError && error.code === 'unauthenticated'
}

/** Not when it answered that the issuer of a JWT is unavailable. */
function isOutage(error: unknown): boolean {
  return (
    error instanceof AppError &&
    (error.code === 'unavailable' || error.code === 'deadline_exceeded') &&
    error.reason !== 'jwt_keys_unavailable'
  )
}
