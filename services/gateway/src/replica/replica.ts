import type { CompiledFlag } from '@svc/evaluation'
import {
  type NamespaceChange,
  type WatchResponse,
  WatchServiceDefinition,
} from '@svc/proto/resource/v1/watch'
import { type CallOptions, follow, type RpcChannel, type RpcClient } from '@svc/rpc'
import { EventLoopScheduler, type Logger } from '@svc/runtime'
import { LRUCache } from 'lru-cache'
import { flagsAtOnce, NamespaceState, type PreparedPart } from './namespace-state.ts'
import { RevisionWaiters } from './revision-waiters.ts'

/** Timeout of a silent stream, in milliseconds: three heartbeats, which come every 5 s. */
const silenceMs = 15_000

/** Age from which what is here counts as stale: a heartbeat, a look at the database, and one second. */
const staleAfterMs = 7000

/** Maximum deletions that are remembered: a read may wait for the revision of one. */
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
 * the resource service. While that is unavailable, evaluation goes on
 * with what is here.
 */
export class Replica {
  readonly #client: RpcClient<typeof WatchServiceDefinition>
  readonly #log: Logger
  readonly #nowMs: () => number
  readonly #namespaces = new Map<string, NamespaceState>()
  readonly #deletions = new LRUCache<string, number>({ max: maxDeletions })
  readonly #waiters = new RevisionWaiters()
  readonly #listeners = new Set<(change: ReplicaChange) => void>()
  /** The parts of a change whose last part has not arrived. */
  readonly #parts: PreparedPart[] = []
  /** A whole namespace whose last part has not arrived: until then there is the one before. */
  #building: NamespaceState | undefined
  /** Of all long tasks of this process, so that only one of them has a slice at a time. */
  readonly scheduler = new EventLoopScheduler()
  /** Namespaces that came whole and of which not all flags have been compiled. */
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
        this.#discardParts()
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
    else if (change !== undefined) await this.#add(change)
    if (synced !== undefined) {
      this.#isLoaded = true
      this.#isConnected = true
      void this.#compileRest()
    }
    if (heartbeat !== undefined) this.#senderAt = this.#nowMs() - heartbeat.ageMs
    // While changes are missing, the age is unknown. This sender may have fewer than the one before.
    if (this.#isConnected) this.#completeAt = Math.max(this.#completeAt, this.#senderAt)
  }

  #delete({ namespaceKey, revision }: NamespaceChange): void {
    this.#namespaces.delete(namespaceKey)
    this.#deletions.set(namespaceKey, revision)
    this.#notify({ namespaceKey, revision, isWhole: true, deleted: true })
  }

  async #build(part: NamespaceChange): Promise<void> {
    const { namespaceKey, revision } = part
    const state = this.#building ?? new NamespaceState(namespaceKey)
    this.#building = state
    await state.load(part, this.scheduler)
    if (part.more) return
    this.#building = undefined
    state.complete(revision)
    this.#namespaces.set(namespaceKey, state)
    this.#uncompiled.add(state)
    if (this.#isLoaded) void this.#compileRest()
    this.#notify({ namespaceKey, revision, isWhole: true, deleted: false })
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

  async #add(part: NamespaceChange): Promise<void> {
    const { namespaceKey, fromRevision, revision } = part
    const held = this.#namespaces.get(namespaceKey)
    if (held !== undefined && held.revision >= revision) return
    if (held === undefined || held.revision < fromRevision) {
      throw new Error(
        `a change of ${namespaceKey} from ${fromRevision} does not follow what is here`,
      )
    }
    const flags: CompiledFlag[] = []
    this.#parts.push({ part, flags })
    for (const flag of held.compile(part)) {
      flags.push(flag)
      if (flags.length % flagsAtOnce === 0 && this.scheduler.shouldYield) {
        await this.scheduler.yield()
      }
    }
    if (part.more) return
    held.apply(this.#parts.splice(0), revision)
    this.#notify({ namespaceKey, revision, isWhole: false, deleted: false })
  }

  #discardParts(): void {
    for (const { part, flags } of this.#parts.splice(0)) {
      this.#namespaces.get(part.namespaceKey)?.flags.discard(flags)
    }
  }

  #notify(change: ReplicaChange): void {
    this.#waiters.announce(change.namespaceKey, change.revision)
    for (const listener of this.#listeners) listener(change)
  }
}
