import {
  type NamespaceChange,
  type WatchResponse,
  WatchServiceDefinition,
} from '@svc/proto/resource/v1/watch'
import { type CallOptions, follow, type RpcChannel, type RpcClient } from '@svc/rpc'
import { EventLoopScheduler, type Logger, ResumeQueue } from '@svc/runtime'
import { LRUCache } from 'lru-cache'
import { EncodedFlag } from './flag-text.ts'
import { NamespaceState, type ReadPart } from './namespace-state.ts'

/** Timeout of a silent stream, in milliseconds: three heartbeats, which come every 5 s. */
const silenceMs = 15_000

/** Age from which what is here counts as stale: a heartbeat, a look at the database, and one second. */
const staleAfterMs = 7000

/** Flags between two looks at the clock: a fraction of a millisecond's work. */
const flagsAtOnce = 32

/** Maximum deletions that are remembered: a read may wait for the revision of one. */
const maxDeletions = 1000

/** A namespace that is another one now, and its revision or the number of its deletion. */
export interface ReplicaChange {
  readonly namespaceKey: string
  readonly revision: number
  /**
   * How long ago the revision was stamped when this process began to evaluate with it, in milliseconds.
   * The way through the network is not in it. `undefined` when it is not known.
   */
  readonly ageMs: number | undefined
}

/**
 * This process's copy of what evaluation needs of every namespace, kept current by a stream from
 * the resource service. While that is unavailable, evaluation uses what is here.
 */
export class Replica {
  readonly #client: RpcClient<typeof WatchServiceDefinition>
  readonly #log: Logger
  readonly #nowMs: () => number
  readonly #namespaces = new Map<string, NamespaceState>()
  readonly #deletions = new LRUCache<string, number>({ max: maxDeletions })
  readonly #listeners = new Set<(change: ReplicaChange) => void>()
  readonly #resumeQueue = new ResumeQueue()
  /** The parts of a change whose last part has not arrived. */
  #parts: ReadPart[] = []
  /** A whole namespace whose last part has not arrived: until then there is the one before. */
  #building: NamespaceState | undefined
  /** Of all long tasks of this process, so that only one of them has a slice at a time. */
  readonly scheduler = new EventLoopScheduler()
  /** Namespaces of which not all flags have been compiled. */
  readonly #uncompiled = new Set<NamespaceState>()
  #isCompiling = false
  #isLoaded = false
  #isConnected = false
  /** As of when the sender has everything, as it said last. */
  #senderAt = Number.NEGATIVE_INFINITY
  /** When what is here was last known to be all there is. */
  #completeAt = Number.NEGATIVE_INFINITY

  /** @param nowMs a monotonic clock, in milliseconds */
  constructor(channel: RpcChannel, log: Logger, nowMs = () => performance.now()) {
    this.#client = channel.client(WatchServiceDefinition)
    this.#log = log
    this.#nowMs = nowMs
  }

  /** Whether every namespace has been here once; evaluation means nothing before. */
  get isLoaded(): boolean {
    return this.#isLoaded
  }

  /** How long ago what is here was last known to be all there is, in milliseconds. */
  get ageMs(): number {
    return this.#nowMs() - this.#completeAt
  }

  /** Whether changes reach this process at this moment; else what is here may be old. */
  get isCurrent(): boolean {
    return this.#isConnected && this.ageMs < staleAfterMs
  }

  /** The latest revision of all namespaces. */
  get revision(): number {
    let latest = 0
    for (const { revision } of this.#namespaces.values()) latest = Math.max(latest, revision)
    return latest
  }

  /** Size of the flags as they were received, or as text where clients take that. */
  get bytes(): number {
    let sum = 0
    for (const { bytes } of this.#namespaces.values()) sum += bytes
    return sum
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
   * Waits for a revision of a namespace, or a later one. Those that wait for the same go on in turns.
   *
   * @returns whether it is here; false when `timeoutMs` went by without it
   */
  async waitFor(namespaceKey: string, revision: number, timeoutMs: number): Promise<boolean> {
    const isHere = () => this.revisionOf(namespaceKey) >= revision
    if (isHere()) return true
    await new Promise<void>((resolve) => {
      const settle = () => {
        clearTimeout(timer)
        end()
        resolve()
      }
      const timer = setTimeout(settle, timeoutMs)
      const end = this.onChange((change) => {
        if (change.namespaceKey === namespaceKey && isHere()) settle()
      })
    })
    await this.#resumeQueue.next()
    return isHere()
  }

  /**
   * @param listener called after each change, in their order; must not throw
   * @returns what ends it
   */
  onChange(listener: (change: ReplicaChange) => void): () => void {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  /** Follows the changes until `signal` aborts, resuming after every break where it stopped. */
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
    if (change !== undefined) await this.#take(change)
    if (synced !== undefined) {
      this.#isLoaded = true
      this.#isConnected = true
      void this.#compileRest()
    }
    if (heartbeat !== undefined) this.#senderAt = this.#nowMs() - heartbeat.ageMs
    // While changes are missing, the age is unknown. This sender may have fewer than the one before.
    if (this.#isConnected) this.#completeAt = Math.max(this.#completeAt, this.#senderAt)
  }

  async #take(part: NamespaceChange): Promise<void> {
    const arrivedAt = this.#nowMs()
    const { namespaceKey, fromRevision, revision, committedMsAgo } = part
    const held = this.#namespaces.get(namespaceKey)
    if (part.deleted) {
      this.#namespaces.delete(namespaceKey)
      this.#deletions.set(namespaceKey, revision)
    } else if (fromRevision === 0) {
      this.#building ??= new NamespaceState(namespaceKey)
      const building = this.#building
      await this.#read(part, (slice) => building.load(slice, revision))
      if (part.more) return
      this.#namespaces.set(namespaceKey, building)
      this.#uncompiled.add(building)
      this.#building = undefined
    } else {
      if (held !== undefined && held.revision >= revision) return
      if (held === undefined || held.revision < fromRevision) {
        throw new Error(
          `a change of ${namespaceKey} from ${fromRevision} does not follow what is here`,
        )
      }
      const parts = this.#parts
      await this.#read(part, (slice) => parts.push(slice))
      if (part.more) return
      held.apply(parts.splice(0), revision)
      this.#uncompiled.add(held)
    }
    if (this.#isLoaded) void this.#compileRest()
    const heldMs = this.#nowMs() - arrivedAt
    const ageMs = committedMsAgo === undefined ? undefined : committedMsAgo + heldMs
    for (const listener of this.#listeners) listener({ namespaceKey, revision, ageMs })
  }

  async #read(part: NamespaceChange, take: (slice: ReadPart) => void): Promise<void> {
    for (const slice of slicesOf(part)) {
      take(slice)
      if (this.scheduler.shouldYield) await this.scheduler.yield()
    }
  }

  /**
   * Compiles flags that no request has needed, in slices. It waits until everything is here: a request
   * compiles what it needs in some microseconds.
   */
  async #compileRest(): Promise<void> {
    if (this.#isCompiling) return
    this.#isCompiling = true
    try {
      for (const state of this.#uncompiled) {
        this.#uncompiled.delete(state)
        await this.scheduler.runInSlices(state.flags.compileRest())
      }
    } catch (error) {
      this.#log.error({ err: error }, 'cannot compile a flag')
    } finally {
      this.#isCompiling = false
    }
  }
}

function* slicesOf({ flags, ...others }: NamespaceChange): Generator<ReadPart, void> {
  yield { ...others, flags: [] }
  const none = { segments: [], deletedFlagKeys: [], deletedSegmentKeys: [] }
  for (let first = 0; first < flags.length; first += flagsAtOnce) {
    const slice = flags.slice(first, first + flagsAtOnce)
    yield { ...none, flags: slice.map((state) => new EncodedFlag(state)) }
  }
}
