import type { Delta } from './changes-since.store.ts'
import type { UnsentChange } from './messages.ts'
import { NamespaceState } from './namespace-state.ts'

/** Maximum deletions that are remembered; an earlier one has to be read again. */
export const maxDeletions = 1000

/** All namespaces in memory, each as it was read last. */
export class ReplicationState {
  readonly #namespaces = new Map<string, NamespaceState>()
  /** The revisions of the last deletions, the oldest first. */
  readonly #deletions = new Map<string, number>()

  keys(): IterableIterator<string> {
    return this.#namespaces.keys()
  }

  has(namespaceKey: string): boolean {
    return this.#namespaces.has(namespaceKey)
  }

  /** Up to where it is known what has happened to a namespace; 0 when nothing is known of it. */
  revisionOf(namespaceKey: string): number {
    const state = this.#namespaces.get(namespaceKey)
    return state?.revision ?? this.#deletions.get(namespaceKey) ?? 0
  }

  apply(delta: Delta): void {
    const { namespaceKey } = delta
    if (delta.deleted) {
      this.#namespaces.delete(namespaceKey)
      if (delta.revision !== undefined) this.noteDeletion(namespaceKey, delta.revision)
      return
    }
    this.#deletions.delete(namespaceKey)
    const state = this.#namespaces.get(namespaceKey)
    if (state === undefined || delta.fromRevision === 0) {
      this.#namespaces.set(namespaceKey, new NamespaceState(delta))
    } else {
      state.apply(delta)
    }
  }

  noteDeletion(namespaceKey: string, revision: number): void {
    this.#deletions.delete(namespaceKey)
    this.#deletions.set(namespaceKey, revision)
    for (const oldest of this.#deletions.keys()) {
      if (this.#deletions.size <= maxDeletions) return
      this.#deletions.delete(oldest)
    }
  }

  /** Forgets what was deleted in a namespace up to a revision. */
  compact(namespaceKey: string, compactedRevision: number): void {
    this.#namespaces.get(namespaceKey)?.compact(compactedRevision)
  }

  /** @param held the revision that a watcher has; `undefined` when it has nothing */
  changesSince(namespaceKey: string, held: number | undefined): Iterable<UnsentChange> {
    const state = this.#namespaces.get(namespaceKey)
    if (state !== undefined) return state.since(held ?? 0)
    if (held === undefined) return []
    const revision = this.#deletions.get(namespaceKey) ?? held
    return [{ ...nothing, namespaceKey, fromRevision: held, revision, deleted: true }]
  }
}

const nothing = {
  changedAtMs: null,
  flags: [],
  segments: [],
  deletedFlagKeys: [],
  deletedSegmentKeys: [],
  more: false,
}
