import {
  type NamespaceChange,
  type WatchResponse,
  WatchServiceDefinition,
} from '@svc/proto/resource/v1/watch'
import type { CallOptions, Logger, RpcChannel, RpcClient } from '@svc/runtime'
import { LRUCache } from 'lru-cache'
import { follow } from '../follow.ts'
import { NamespaceCopy, type Touched } from './namespace-copy.ts'
import { Waiting } from './waiting.ts'

/** Heartbeats come every 5 s; a stream that is silent for three of them is broken. */
const silenceMs = 15_000

/** A heartbeat every 5 s, of a service that asks its database every second; and one more for both. */
const staleAfterMs = 7000

/** Deleted namespaces are remembered for those who wait for just that. */
const maxDeletions = 1000

/** What happened to a namespace. */
export interface ReplicaChange extends Touched {
  readonly namespaceKey: string
  readonly revision: number
  /** The namespace is gone, and {@link ReplicaChange.revision} the number of its deletion. */
  readonly deleted: boolean
}

/**
 * This process's copy of what evaluation needs of every namespace, kept current by a stream from
 * the resource service. While that is away, evaluation goes on with what is here.
 */
export class Replica {
  readonly #client: RpcClient<typeof WatchServiceDefinition>
  readonly #log: Logger
  readonly #namespaces = new Map<string, NamespaceCopy>()
  readonly #deletions = new LRUCache<string, number>({ max: maxDeletions })
  readonly #waiting = new Waiting()
  readonly #listeners = new Set<(change: ReplicaChange) => void>()
  /** The parts of a change whose last part has not arrived. */
  #parts: NamespaceChange[] = []
  #isLoaded = false
  #isConnected = false
  /** As of when the sender has everything, as it said last. */
  #senderAt = Number.NEGATIVE_INFINITY
  /** When what is here was last known to be all there is. */
  #completeAt = Number.NEGATIVE_INFINITY

  constructor(channel: RpcChannel, log: Logger) {
    this.#client = channel.client(WatchServiceDefinition)
    this.#log = log
  }

  /** Whether every namespace has been here once; evaluation means nothing before. */
  get isLoaded(): boolean {
    return this.#isLoaded
  }

  /** How long ago what is here was last known to be all there is, in milliseconds. */
  get ageMs(): number {
    return performance.now() - this.#completeAt
  }

  /** Whether changes reach this process at this moment; else what is here may be old. */
  get isCurrent(): boolean {
    return this.#isConnected && this.ageMs < staleAfterMs
  }

  namespace(namespaceKey: string): NamespaceCopy | undefined {
    return this.#namespaces.get(namespaceKey)
  }

  /** The revision of a namespace, or the number of its deletion; 0 when there never was one. */
  revisionOf(namespaceKey: string): number {
    const held = this.#namespaces.get(namespaceKey)?.revision
    return held ?? this.#deletions.get(namespaceKey) ?? 0
  }

  /**
   * Waits for a revision of a namespace, or a later one.
   *
   * @returns whether it is here; false when `timeoutMs` went by without it
   */
  async waitFor(namespaceKey: string, revision: number, timeoutMs: number): Promise<boolean> {
    return (
      this.revisionOf(namespaceKey) >= revision ||
      this.#waiting.wait(namespaceKey, revision, timeoutMs)
    )
  }

  /**
   * @param listener called after each change, in their order; must not throw
   * @returns what ends it
   */
  onChange(listener: (change: ReplicaChange) => void): () => void {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  /** Follows the changes until `signal` aborts, going on after every break where it stopped. */
  async follow(signal: AbortSignal): Promise<void> {
    const stream = {
      name: 'changes',
      silenceMs,
      open: (options: CallOptions) => {
        this.#parts = []
        this.#senderAt = Number.NEGATIVE_INFINITY
        return this.#client.watch({ revisions: this.#revisions() }, options)
      },
      accept: (message: WatchResponse) => this.#accept(message),
      lost: () => {
        this.#isConnected = false
      },
    }
    await follow(stream, signal, this.#log)
  }

  #revisions(): Record<string, number> {
    return Object.fromEntries(
      Array.from(this.#namespaces, ([key, { revision }]) => [key, revision]),
    )
  }

  #accept({ change, synced, heartbeat }: WatchResponse): void {
    if (change !== undefined) {
      this.#parts.push(change)
      if (!change.more) this.#apply(this.#parts.splice(0), change)
    }
    if (synced !== undefined) {
      this.#isLoaded = true
      this.#isConnected = true
    }
    if (heartbeat !== undefined) this.#senderAt = performance.now() - heartbeat.ageMs
    // Until everything has come that the sender has, nothing says how much is missing. It may have less
    // than one before it had.
    if (this.#isConnected) this.#completeAt = Math.max(this.#completeAt, this.#senderAt)
  }

  #apply(parts: readonly NamespaceChange[], last: NamespaceChange): void {
    const { namespaceKey, fromRevision, revision, deleted } = last
    if (deleted) {
      this.#namespaces.delete(namespaceKey)
      this.#deletions.set(namespaceKey, revision)
      this.#tell({ ...nothing, namespaceKey, revision, deleted })
      return
    }
    const held = this.#namespaces.get(namespaceKey)
    if (fromRevision > 0 && held !== undefined && held.revision >= revision) return
    if (fromRevision > (held?.revision ?? 0)) {
      throw new Error(
        `a change of ${namespaceKey} from ${fromRevision} does not follow what is here`,
      )
    }
    // A whole namespace is built aside: until it is complete, there is the one before.
    const copy = fromRevision === 0 || held === undefined ? new NamespaceCopy(namespaceKey) : held
    const touched = copy.apply(parts, revision)
    this.#namespaces.set(namespaceKey, copy)
    this.#tell({ ...touched, namespaceKey, revision, deleted })
  }

  #tell(change: ReplicaChange): void {
    this.#waiting.resolve(change.namespaceKey, change.revision)
    for (const listener of this.#listeners) listener(change)
  }
}

const nothing: Touched = {
  isWhole: true,
  flagKeys: [],
  segmentKeys: [],
  deletedFlagKeys: [],
  deletedSegmentKeys: [],
}
