import { setImmediate as nextTurn } from 'node:timers/promises'
import { authorize, networkOf } from '@svc/access'
import type { AccessRule } from '@svc/contract'
import type { Identity } from '@svc/proto/auth/v1/identities'
import type { FastifyReply } from 'fastify'
import { unauthenticated } from '../identity/errors.ts'
import type { Identities } from '../identity/identities.ts'
import { makeTicket, type Ticket } from '../identity/ticket.ts'
import type { EventStream } from './event-stream.ts'
import type { EventStreams, StreamLimit, StreamOptions } from './event-streams.ts'
import { sliceSize } from './topic.ts'

/**
 * How long a token is taken to be good without another look, in milliseconds: a little less than
 * heartbeats are apart, so that there is a look with each of them, and one for all streams of a token.
 */
const checkedForMs = 14_000

type Streams = Pick<EventStreams, 'end' | 'has' | 'open' | 'publish'>
type Credentials = Pick<Identities, 'goodForMs' | 'identifyTicket' | 'isRevoked' | 'onRevoked'>

/** The caller that opens a stream, and the namespace. */
export interface StreamCaller {
  /** Left out where authentication is not required. */
  readonly identity: Identity | undefined
  readonly access: AccessRule
  readonly namespaceKey: string
  /** The client's; empty when it is not known. */
  readonly address: string
}

/**
 * How many streams may be open of one caller and of one namespace: less than the gateway has, so that
 * neither uses up all of them.
 */
export interface StreamShares {
  readonly maxStreamsPerCaller: number
  readonly maxStreamsPerNamespace: number
}

/** What the streams of one token in one namespace have in common. */
interface Holder {
  readonly streams: Set<EventStream>
  readonly tokenHash: string
  readonly limits: readonly StreamLimit[]
  readonly mayGoOn: () => boolean
}

/** The streams of an app, each of which ends when its caller's token does. */
export class CallerStreams {
  /** Those of all callers, to publish to. */
  readonly all: Streams
  readonly #identities: Credentials
  readonly #shares: StreamShares
  readonly #now: () => number
  /** By the namespace and the SHA-256 of the token, in base64. */
  readonly #holders = new Map<string, Holder>()

  /** @param now a clock that never goes back, in milliseconds */
  constructor(
    streams: Streams,
    identities: Credentials,
    shares: StreamShares,
    now: () => number = () => performance.now(),
  ) {
    this.all = streams
    this.#identities = identities
    this.#shares = shares
    this.#now = now
    identities.onRevoked((tokenHash) => {
      for (const holder of this.#holders.values()) {
        if (holder.tokenHash === tokenHash) void endAll(holder)
      }
    })
  }

  /**
   * See {@link EventStreams}, also for the errors of limits and the rest.
   *
   * @throws {AppError} `unauthenticated`, too, when the token has been revoked since it was looked at
   */
  open(
    reply: FastifyReply,
    topicKey: string,
    caller: StreamCaller,
    options: Omit<StreamOptions, 'limits' | 'mayGoOn'>,
  ): EventStream {
    const { identity, namespaceKey } = caller
    if (identity === undefined)
      return this.all.open(reply, topicKey, { ...options, limits: this.#limitsOf(caller) })
    const tokenHash = Buffer.from(identity.tokenHash).toString('base64')
    // A revocation ends open streams only, and this one took a while to get here.
    if (this.#identities.isRevoked(tokenHash)) throw unauthenticated('revoked')
    const key = `${namespaceKey} ${tokenHash}`
    const holder = this.#holders.get(key) ?? this.#newHolder(identity, caller, tokenHash)
    const stream = this.all.open(reply, topicKey, {
      ...options,
      limits: holder.limits,
      mayGoOn: holder.mayGoOn,
      onEnd: (stream) => {
        holder.streams.delete(stream)
        if (holder.streams.size === 0 && this.#holders.get(key) === holder)
          this.#holders.delete(key)
        options.onEnd?.(stream)
      },
    })
    if (!stream.isOpen) return stream
    holder.streams.add(stream)
    this.#holders.set(key, holder)
    return stream
  }

  /** A token counts as one caller, also while it has two secrets; without one, the client's network does. */
  #limitsOf({ identity, namespaceKey, address }: StreamCaller): StreamLimit[] {
    const { maxStreamsPerCaller, maxStreamsPerNamespace } = this.#shares
    const key =
      identity === undefined
        ? `address ${networkOf(address)}`
        : `token ${identity.authentication?.id || Buffer.from(identity.tokenHash).toString('base64')}`
    return [
      { key, max: maxStreamsPerCaller, whose: 'this caller' },
      {
        key: `namespace ${namespaceKey}`,
        max: maxStreamsPerNamespace,
        whose: `namespace "${namespaceKey}"`,
      },
    ]
  }

  #newHolder(identity: Identity, caller: StreamCaller, tokenHash: string): Holder {
    const { access, namespaceKey } = caller
    let checkedAt = this.#now()
    // A JWT has no record that could be checked again: it is good until it expires.
    const ticket = makeTicket(identity, namespaceKey)
    const endsAt = ticket ? Infinity : checkedAt + this.#identities.goodForMs(tokenHash)
    const check = async (ticket: Ticket) => {
      // No sender, and so no limit: it was accepted before, and is asked about once in a while.
      const now = await this.#identities.identifyTicket(ticket, namespaceKey, undefined)
      authorize(access, now, [namespaceKey])
    }
    const mayGoOn = () => {
      const now = this.#now()
      if (ticket !== undefined && now - checkedAt >= checkedForMs) {
        checkedAt = now
        check(ticket).catch(() => endAll(holder))
      }
      return now < endsAt
    }
    const limits = this.#limitsOf(caller)
    const holder: Holder = { streams: new Set(), tokenHash, limits, mayGoOn }
    return holder
  }
}

async function endAll({ streams }: Holder): Promise<void> {
  let ended = 0
  for (const stream of streams) {
    stream.end()
    if (++ended % sliceSize === 0) await nextTurn()
  }
}
