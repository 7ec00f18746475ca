import { FlagSet } from '@svc/evaluation'
import {
  type NamespaceChange,
  type WatchResponse,
  WatchServiceDefinition,
} from '@svc/proto/resource/v1/watch'
import type { Logger, RpcChannel, RpcClient } from '@svc/runtime'
import { follow } from '../follow.ts'

/** Heartbeats come every 5 s; a stream that is silent for three of them is broken. */
const silenceMs = 15_000

interface NamespaceCopy {
  readonly flags: FlagSet
  revision: number
}

/**
 * This process's copy of what evaluation needs of every namespace, kept current by a stream from
 * the resource service. While that is away, evaluation goes on with what is here.
 */
export class Replica {
  readonly #client: RpcClient<typeof WatchServiceDefinition>
  readonly #log: Logger
  readonly #namespaces = new Map<string, NamespaceCopy>()
  /** The parts of a change whose last part has not arrived. */
  #parts: NamespaceChange[] = []
  #isLoaded = false
  #heardAt = Number.NEGATIVE_INFINITY

  constructor(channel: RpcChannel, log: Logger) {
    this.#client = channel.client(WatchServiceDefinition)
    this.#log = log
  }

  /** Whether every namespace has been here once; evaluation means nothing before. */
  get isLoaded(): boolean {
    return this.#isLoaded
  }

  /** How long ago the resource service was last heard of, in milliseconds. */
  get ageMs(): number {
    return performance.now() - this.#heardAt
  }

  /** Whether changes reach this process at this moment. */
  get isFollowing(): boolean {
    return this.ageMs < silenceMs
  }

  /** @returns the flags of a namespace as of its latest known revision */
  flagsOf(namespaceKey: string): FlagSet | undefined {
    return this.#namespaces.get(namespaceKey)?.flags
  }

  /** @returns the latest known revision of a namespace */
  revisionOf(namespaceKey: string): number | undefined {
    return this.#namespaces.get(namespaceKey)?.revision
  }

  /** Follows the changes until `signal` aborts, going on after every break where it stopped. */
  follow(signal: AbortSignal): Promise<void> {
    const stream = {
      name: 'changes',
      silenceMs,
      open: (signal: AbortSignal) => {
        this.#parts = []
        return this.#client.watch({ revisions: this.#revisions() }, { signal })
      },
      accept: ({ change, synced }: WatchResponse) => {
        if (change !== undefined) this.#accept(change)
        if (synced !== undefined) this.#isLoaded = true
        this.#heardAt = performance.now()
      },
    }
    return follow(stream, signal, this.#log)
  }

  #revisions(): Record<string, number> {
    return Object.fromEntries(
      Array.from(this.#namespaces, ([key, { revision }]) => [key, revision]),
    )
  }

  #accept(part: NamespaceChange): void {
    this.#parts.push(part)
    if (part.more) return
    const parts = this.#parts
    this.#parts = []
    const { namespaceKey, fromRevision, revision, deleted } = part
    if (deleted) {
      this.#namespaces.delete(namespaceKey)
      return
    }
    const copy = fromRevision === 0 ? undefined : this.#namespaces.get(namespaceKey)
    if (copy !== undefined && copy.revision >= revision) return
    if (fromRevision > (copy?.revision ?? 0)) {
      throw new Error(
        `a change of ${namespaceKey} from ${fromRevision} does not follow what is here`,
      )
    }
    const flags = copy?.flags ?? new FlagSet()
    flags.apply(merge(parts))
    if (copy === undefined) this.#namespaces.set(namespaceKey, { flags, revision })
    else copy.revision = revision
  }
}

function merge(parts: readonly NamespaceChange[]) {
  return {
    flags: parts.flatMap((part) =>
      part.flags.flatMap(({ flag, rules, rollouts }) =>
        flag === undefined ? [] : { ...flag, rules, rollouts },
      ),
    ),
    segments: parts.flatMap((part) => part.segments),
    deletedFlagKeys: parts.flatMap((part) => part.deletedFlagKeys),
    deletedSegmentKeys: parts.flatMap((part) => part.deletedSegmentKeys),
  }
}
