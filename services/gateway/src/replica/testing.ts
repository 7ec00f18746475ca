import { setTimeout as sleep } from 'node:timers/promises'
import {
  FlagState,
  NamespaceChange,
  type WatchResponse,
  WatchServiceDefinition,
} from '@svc/proto/resource/v1/watch'
import { RpcChannel, RpcServer, unprotected } from '@svc/rpc'
import { AppError, createLogger } from '@svc/runtime'
import { waitFor } from '@svc/runtime/testing'
import { Replica } from './replica.ts'

/** A server of the resource service's protocol that sends what the test sets. */
export interface FakeResource {
  /** The revisions that each watcher had. */
  readonly requests: Readonly<Record<string, number>>[]
  /** Sends to the watchers of this moment. */
  send(...messages: readonly WatchResponse[]): void
  /** Ends the streams that are open. */
  hangUp(): void
}

/** A change of a namespace in which each flag has its revision as its name. */
export function change(
  namespaceKey: string,
  [fromRevision, revision]: readonly [number, number],
  flagKeys: readonly string[] = [],
  more: Partial<NamespaceChange> = {},
): WatchResponse {
  const flags = flagKeys.map((key) => {
    const name = String(revision)
    const state = FlagState.fromPartial({ flag: { key, name, type: 'BOOLEAN_FLAG_TYPE' } })
    return Buffer.from(FlagState.encode(state).finish())
  })
  const whole = NamespaceChange.fromPartial({ namespaceKey, fromRevision, revision })
  return { change: { ...whole, flags, ...more } }
}

/** The messages that follow when all has been sent, as of `ageMs` ago. */
export const inStep = (ageMs = 0): readonly WatchResponse[] => [
  { heartbeat: { ageMs } },
  { synced: {} },
]

const log = createLogger({ level: 'silent', encoding: 'json' }, 'test')

/** A replica that follows a fake resource service, with a fixed clock that the test sets. */
export async function openReplica(t: { teardown(work: () => Promise<void>): void }): Promise<{
  readonly replica: Replica
  readonly clock: { nowMs: number }
  readonly resource: FakeResource
}> {
  const streams = new Set<{ queue: WatchResponse[]; isOver: boolean }>()
  const requests: Record<string, number>[] = []
  const server = new RpcServer({ log, protection: unprotected }).add(WatchServiceDefinition, {
    async *watch({ revisions }, { signal }): AsyncGenerator<WatchResponse> {
      const stream = { queue: [] as WatchResponse[], isOver: false }
      requests.push(revisions)
      streams.add(stream)
      while (!signal.aborted && !(stream.isOver && stream.queue.length === 0)) {
        const message = stream.queue.shift()
        if (message === undefined) await sleep(2)
        else yield message
      }
      streams.delete(stream)
      if (stream.isOver) throw new AppError('unavailable', 'unavailable', 'hung up')
    },
  })
  const port = await server.listen('127.0.0.1:0')
  const channel = new RpcChannel(`127.0.0.1:${port}`, { name: 'the resource service' })
  const clock = { nowMs: 1_000_000 }
  const replica = new Replica(channel, log, () => clock.nowMs)
  const end = new AbortController()
  const following = replica.follow(end.signal)
  t.teardown(async () => {
    end.abort()
    await following
    channel.close()
    await server.close()
  })
  await waitFor(() => streams.size > 0)
  return {
    replica,
    clock,
    resource: {
      requests,
      send(...messages) {
        for (const { queue } of streams) queue.push(...messages)
      },
      hangUp() {
        for (const stream of streams) stream.isOver = true
      },
    },
  }
}
