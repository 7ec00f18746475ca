import { resolveNamespaceKey, withPath } from '@svc/contract'
import { SnapshotServiceDefinition } from '@svc/proto/snapshot/v1/snapshot'
import { Limiter, unavailable } from '@svc/runtime'
import type { FastifyBaseLogger, FastifyReply } from 'fastify'
import { type AnswererFor, type Answerers, answerersOf } from '../../operations/answerer.ts'
import { setDataAge } from '../../replica/data-age.ts'
import type { Replica } from '../../replica/replica.ts'
import type { CallerStreams, StreamCaller } from '../../streams/caller-streams.ts'
import { sendSnapshot } from './answers.ts'
import { SnapshotFeed } from './feed.ts'
import { formFor } from './form.ts'
import { Snapshots } from './snapshots.ts'

/** Limits large snapshots: each that is being sent keeps the flags of its revision in memory. */
const largeSnapshots = {
  maxRunning: 32,
  maxRunningPerKey: 16,
  maxWaiting: 256,
  maxWaitMs: 10_000,
  refuse: () => unavailable('too many large snapshots are being sent, try again'),
}

export interface SnapshotParts {
  readonly replica: Replica
  readonly streams: CallerStreams
  readonly log: FastifyBaseLogger
}

/** The snapshots for clients that evaluate by themselves, and their streams. */
export function snapshotAnswerers({ replica, streams, log }: SnapshotParts): Answerers {
  const snapshots = new Snapshots(replica.scheduler)
  const limiter = new Limiter(largeSnapshots)
  const parts = { replica, snapshots, limiter }
  const feed = new SnapshotFeed({ ...parts, streams, log })

  const by =
    (send: (reply: FastifyReply, caller: StreamCaller) => Promise<unknown>): AnswererFor =>
    (bound) => ({
      // Snapshots are compressed by their own code, small ones once for all clients.
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

  return answerersOf(SnapshotServiceDefinition, {
    getSnapshot: by((reply, { namespaceKey }) => sendSnapshot(parts, reply, namespaceKey)),
    streamSnapshot: by((reply, caller) => {
      const { headers } = reply.request
      return feed.open(reply, caller, formFor(headers), readRevision(headers['last-event-id']))
    }),
  })
}

/** Anything but a revision counts as none: the client gets everything. */
function readRevision(lastEventId: string | readonly string[] | undefined): number | undefined {
  return /^\d{1,15}$/.test(String(lastEventId)) ? Number(lastEventId) : undefined
}
