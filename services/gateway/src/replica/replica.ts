import {
  type NamespaceChange,
  type WatchResponse,
  WatchServiceDefinition,
} from '@svc/proto/resource/v1/watch'
import { type CallOptions, follow, type RpcChannel, type RpcClient } from '@svc/rpc'
import { EventLoopScheduler, type Logger } from '@svc/runtime'
import { LRUCache } from 'lru-cache'
import { NamespaceState } from './namespace-state.ts'
import { RevisionWaiters } from './revision-waiters.ts'

/** Heartbeats come every 5 s; a stream that is silent for three of them is broken. */
const silenceMs = 15_000

/** A heartbeat every 5 s, of a service that asks its database every second; and one more for both. */
const staleAfterMs = 7000

/** Deleted namespaces are remembered for those who wait for just that. */
const maxDeletions = 1000

/** What happened to a namespace. */
export interface ReplicaChange {
  readonly namespaceKey: string
  readonly revision: number
  /** It has replaced everything that was held before. */
  readonly isWhole: boolean
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
  readonly #namespaces = new Map<string, NamespaceState>()
  readonly #deletions = new LRUCache<string, number>({ max: maxDeletions })
  readonly #waiters = new RevisionWaiters()
  readonly #listeners = new Set<(change: ReplicaChange) => void>()
  /** The parts of a change whose last part has not arrived. */
  #parts: NamespaceChange[] = []
  /** A whole namespace whose last part has not arrived: until then there is the one before. */
  #building: NamespaceState | undefined
  readonly #scheduler = new EventLoopScheduler()
  /** Namespaces that came whole and of which not all flags have been compiled. */
  readonly #uncompiled = new Set<NamespaceState>()
  #isCompiling = false
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

  namespace(namespaceKey: string): NamespaceState | undefined {
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
      this.#waiters.wait(namespaceKey, revision, timeoutMs)
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
        this.#building = undefined
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

  async #accept({ change, synced, heartbeat }: WatchResponse): Promise<void> {
    if (change?.deleted) this.#delete(change)
    else if (change?.fromRevision === 0) await this.#build(change)
    else if (change !== undefined) this.#add(change)
    if (synced !== undefined) {
      this.#isLoaded = true
      this.#isConnected = true
      void this.#compileRest()
    }
    if (heartbeat !== undefined) this.#senderAt = performance.now() - heartbeat.ageMs
    // Until everything has come that the sender has, nothing says how much is missing. It may have less
    // than one before it had.
    if (this.#isConnected) this.#completeAt = Math.max(this.#completeAt, this.#senderAt)
  }

  #delete({ namespaceKey, revision }: NamespaceChange): void {
    this.#namespaces.delete(namespaceKey)
    this.#deletions.set(namespaceKey, revision)
    this.#tell({ namespaceKey, revision, isWhole: true, deleted: true })
  }

  async #build(part: NamespaceChange): Promise<void> {
    const { namespaceKey, revision } = part
    const copy = this.#building ?? new NamespaceState(namespaceKey)
    this.#building = copy
    await copy.load(part, this.#scheduler)
    if (part.more) return
    this.#building = undefined
    copy.complete(revision)
    this.#namespaces.set(namespaceKey, copy)
    this.#uncompiled.add(copy)
    if (this.#isLoaded) void this.#compileRest()
    this.#tell({ namespaceKey, revision, isWhole: true, deleted: false })
  }

  /**
   * Whoever asks for a flag is answered without this, if later by some microseconds. So it can be done
   * when everything is here, and nobody has to wait for it before that.
   */
  async #compileRest(): Promise<void> {
    if (this.#isCompiling) return
    this.#isCompiling = true
    try {
      for (const copy of this.#uncompiled) {
        this.#uncompiled.delete(copy)
        await this.#scheduler.runInSlices(copy.flags.compileRest())
      }
    } catch (error) {
      this.#log.error({ err: error }, 'cannot compile a flag')
    } finally {
      this.#isCompiling = false
    }
  }

  #add(part: NamespaceChange): void {
    this.#parts.push(part)
    if (part.more) return
    const parts = this.#parts.splice(0)
    const { namespaceKey, fromRevision, revision } = part
    const held = this.#namespaces.get(namespaceKey)
    if (held !== undefined && held.revision >= revision) return
    if (held === undefined || held.revision < fromRevision) {
      throw new Error(
        `a change of ${namespaceKey} from ${fromRevision} does not follow what is here`,
      )
    }
    held.apply(parts, revision)
    this.#tell({ namespaceKey, revision, isWhole: false, deleted: false })
  }

  #tell(change: ReplicaChange): void {
    this.#waiters.announce(change.namespaceKey, change.revision)
    for (const listener of this.#listeners) listener(change)
  }
}
