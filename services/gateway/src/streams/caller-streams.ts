import { setImmediate as nextTurn } from 'node:timers/promises'
import type { Identity } from '@svc/proto/auth/v1/identities'
import type { FastifyReply } from 'fastify'
import { authorize } from '../identity/authorize.ts'
import type { Identities } from '../identity/identities.ts'
import { makeTicket } from '../identity/ticket.ts'
import type { AccessRule } from '../transcoding/contract.ts'
import type { EventStream } from './event-stream.ts'
import type { EventStreams, StreamOptions } from './event-streams.ts'

/** How many streams of a revoked token are ended at once; about a millisecond's work. */
const sliceSize = 128

/** Who opens a stream, and for what. */
export interface StreamCaller {
  /** Left out where nobody has to say who they are. */
  readonly identity: Identity | undefined
  readonly access: AccessRule
  readonly namespaceKey: string
}

/** The streams of an app, each of which ends when the token of whoever opened it does. */
export class CallerStreams {
  readonly #streams: EventStreams
  readonly #identities: Identities
  /** By the SHA-256 of the token, in base64, with which they were opened. */
  readonly #ofToken = new Map<string, Set<EventStream>>()

  constructor(streams: EventStreams, identities: Identities) {
    this.#streams = streams
    this.#identities = identities
    identities.onRevoked((tokenHash) => void this.#endAll(tokenHash))
  }

  has(topicKey: string): boolean {
    return this.#streams.has(topicKey)
  }

  publish(topicKey: string, frame: Buffer): void {
    this.#streams.publish(topicKey, frame)
  }

  end(topicKey: string): void {
    this.#streams.end(topicKey)
  }

  /** See {@link EventStreams}, also for the rest. */
  open(
    reply: FastifyReply,
    topicKey: string,
    { identity, access, namespaceKey }: StreamCaller,
    options: Omit<StreamOptions, 'mayGoOn'>,
  ): EventStream {
    if (identity === undefined) return this.#streams.open(reply, topicKey, options)
    // Who has left already has ended it before there is anything to forget.
    let remembered: EventStream | undefined
    const stream = this.#streams.open(reply, topicKey, {
      ...options,
      mayGoOn: () => this.#isStillGood(identity, namespaceKey, access),
      onEnd: (reason) => {
        if (remembered !== undefined) this.#forget(identity, remembered)
        options.onEnd?.(reason)
      },
    })
    if (!stream.isOpen) return stream
    remembered = stream
    this.#remember(identity, stream)
    return stream
  }

  async #isStillGood(
    identity: Identity,
    namespaceKey: string,
    access: AccessRule,
  ): Promise<boolean> {
    const ticket = makeTicket(identity, namespaceKey)
    if (ticket === undefined) return false
    authorize(await this.#identities.identifyTicket(ticket, namespaceKey), access, [namespaceKey])
    return true
  }

  #remember({ tokenHash }: Identity, stream: EventStream): void {
    const key = toBase64(tokenHash)
    const streams = this.#ofToken.get(key) ?? new Set()
    this.#ofToken.set(key, streams.add(stream))
  }

  #forget({ tokenHash }: Identity, stream: EventStream): void {
    const key = toBase64(tokenHash)
    const streams = this.#ofToken.get(key)
    streams?.delete(stream)
    if (streams?.size === 0) this.#ofToken.delete(key)
  }

  async #endAll(tokenHash: string): Promise<void> {
    let ended = 0
    for (const stream of this.#ofToken.get(tokenHash) ?? []) {
      stream.end()
      if (++ended % sliceSize === 0) await nextTurn()
    }
  }
}

function toBase64(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString('base64')
}
