import { resolveNamespaceKey, withPath } from '@svc/contract'
import { Limiter, unavailable } from '@svc/runtime'
import { countRefused } from '@svc/telemetry'
import type { FastifyBaseLogger, FastifyReply, FastifyRequest } from 'fastify'
import type { AnswererFor } from '../../operations/answerer.ts'
import { setDataAge } from '../../replica/data-age.ts'
import type { Replica } from '../../replica/replica.ts'
import type { CallerStreams, StreamCaller } from '../../streams/caller-streams.ts'
import { CopyFeed } from './feed.ts'
import type { Form } from './form.ts'
import { type CopyParts, sendWhole } from './send-whole.ts'
import { Wholes } from './wholes.ts'

/** Limits large copies: each that is being sent keeps the flags of its revision in memory. */
const largeCopies = {
  maxRunning: 32,
  maxRunningPerKey: 16,
  maxWaiting: 256,
  maxWaitMs: 10_000,
  refuse() {
    countRefused('queue')
    return unavailable('too many large snapshots are being sent, try again')
  },
}

/**
 * Limits the open streams that get a large change at once, each of which keeps a slice in memory. The others wait for
 * their turn, and as many may as there are streams: they share the event. One whose turn does not come ends, and its
 * client comes back.
 */
const largeChanges = {
  maxRunning: 32,
  maxRunningPerKey: 16,
  maxWaitMs: 10_000,
  refuse: () => unavailable('too many streams get a large change, try again'),
}

/** The form that a request is for. */
type FormFor = (headers: FastifyRequest['headers']) => Form

/** Answers clients that keep a copy of a namespace, in whichever form. They share the bounds. */
export class Copies {
  readonly #parts: CopyParts
  readonly #feed: CopyFeed

  constructor(parts: {
    readonly replica: Replica
    readonly streams: CallerStreams
    readonly log: FastifyBaseLogger
  }) {
    const { replica } = parts
    const wholes = new Wholes(replica.scheduler)
    this.#parts = { replica, wholes, limiter: new Limiter(largeCopies) }
    const changeLimiter = new Limiter(largeChanges)
    this.#feed = new CopyFeed({ ...parts, ...this.#parts, changeLimiter })
  }

  /** Answers with the whole. */
  whole(formFor: FormFor): AnswererFor {
    return this.#by((reply, { namespaceKey }) =>
      sendWhole(this.#parts, reply, namespaceKey, formFor(reply.request.headers)),
    )
  }

  /** Answers with a stream: what the client lacks, then what changes. */
  stream(formFor: FormFor): AnswererFor {
    return this.#by((reply, caller) => {
      const { headers } = reply.request
      return this.#feed.open(
        reply,
        caller,
        formFor(headers),
        readRevision(headers['last-event-id']),
      )
    })
  }

  #by(send: (reply: FastifyReply, caller: StreamCaller) => Promise<unknown>): AnswererFor {
    const { replica } = this.#parts
    return (bound) => ({
      // Copies are compressed by their own code, small ones once for all clients.
      isCompressed: true,
      prepare(exchange) {
        const { access } = bound.operation
        const { key } = withPath(bound, exchange.request, {})
        const namespaceKey = resolveNamespaceKey(String(key), 'key')
        return {
          namespaceKeys: [namespaceKey],
          answer(identity) {
            if (!replica.isLoaded) throw unavailable('flags are not loaded yet, try again')
            setDataAge(exchange, replica)
            const { address } = exchange
            return (reply) => send(reply, { identity, access, namespaceKey, address })
          },
        }
      },
    })
  }
}

/** Anything but a revision counts as none: the client gets everything. */
function readRevision(lastEventId: string | readonly string[] | undefined): number | undefined {
  return /^\d{1,15}$/.test(String(lastEventId)) ? Number(lastEventId) : undefined
}
