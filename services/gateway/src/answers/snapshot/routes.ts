import { type Operation, resolveNamespaceKey, withPath } from '@svc/contract'
import { EventLoopScheduler, Limiter, unavailable } from '@svc/runtime'
import type { FastifyInstance } from 'fastify'
import type { Guard } from '../../operations/guard.ts'
import { setDataAge } from '../../replica/data-age.ts'
import type { Replica } from '../../replica/replica.ts'
import type { CallerStreams } from '../../streams/caller-streams.ts'
import { type BoundRequest, routesOf } from '../remote/routes.ts'
import { SnapshotAnswers } from './answers.ts'
import { SnapshotFeed } from './feed.ts'
import { formFor } from './form.ts'
import { Snapshots } from './snapshots.ts'

export function isSnapshotMethod({ service }: Operation): boolean {
  return service === 'svc.snapshot.v1.SnapshotService'
}

/** Limits large snapshots: each that is being sent keeps the flags of its revision in memory. */
const largeSnapshots = {
  maxRunning: 32,
  maxRunningPerKey: 16,
  maxWaiting: 256,
  maxWaitMs: 10_000,
  refuse: () => unavailable('too many large snapshots are being sent, try again'),
}

interface SnapshotParts {
  readonly replica: Replica
  readonly guard: Guard
  readonly streams: CallerStreams
}

/** Mounts the snapshots for clients that evaluate by themselves, and their streams. */
export function addSnapshotRoutes(
  app: FastifyInstance,
  operations: readonly Operation[],
  { replica, guard, streams }: SnapshotParts,
): void {
  const scheduler = new EventLoopScheduler()
  const snapshots = new Snapshots(scheduler)
  const limiter = new Limiter(largeSnapshots)
  const answers = new SnapshotAnswers({ replica, snapshots, limiter, scheduler })
  const feed = new SnapshotFeed({ replica, snapshots, streams, limiter, scheduler, log: app.log })
  for (const route of routesOf(operations)) {
    const { binding, operation, url } = route
    const { access } = operation
    app.route<BoundRequest>({
      method: binding.verb,
      url,
      // Snapshots are compressed by their own code, small ones once for all clients.
      compress: false,
      exposeHeadRoute: !operation.isStream,
      async handler(request, reply) {
        const { key } = withPath(route, request, {})
        const namespaceKey = resolveNamespaceKey(String(key), 'key')
        const identity = await guard.check(request, access, [namespaceKey])
        if (!replica.isLoaded) throw unavailable('flags are not loaded yet, try again')
        setDataAge(reply, replica)
        if (!operation.isStream) return answers.send(request, reply, namespaceKey)
        const { headers } = request
        const since = readRevision(headers['last-event-id'])
        await feed.open(reply, { identity, access, namespaceKey }, formFor(headers), since)
        return reply
      },
    })
  }
}

/** Anything but a revision counts as none: the client gets everything. */
function readRevision(lastEventId: string | readonly string[] | undefined): number | undefined {
  return /^\d{1,15}$/.test(String(lastEventId)) ? Number(lastEventId) : undefined
}
