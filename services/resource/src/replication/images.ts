import type { NamespaceChange } from '@svc/proto/resource/v1/watch'
import type { Delta } from './delta.ts'
import { NamespaceImage } from './namespace-image.ts'

/** Further back, a deletion has to be looked up by whoever wants to be sure of it. */
export const maxDeletions = 1000

/** All namespaces in memory, each as of the last time that it was read. */
export class Images {
  readonly #images = new Map<string, NamespaceImage>()
  /** The revisions of the last deletions, the oldest first. */
  readonly #deletions = new Map<string, number>()

  keys(): IterableIterator<string> {
    return this.#images.keys()
  }

  has(namespaceKey: string): boolean {
    return this.#images.has(namespaceKey)
  }

  /** Up to where it is known what has happened to a namespace; 0 when nothing is known of it. */
  revisionOf(namespaceKey: string): number {
    const image = this.#images.get(namespaceKey)
    return image?.revision ?? this.#deletions.get(namespaceKey) ?? 0
  }

  apply(delta: Delta): void {
    const { namespaceKey } = delta
    if (delta.deleted) {
      this.#images.delete(namespaceKey)
      if (delta.revision !== undefined) this.noteDeletion(namespaceKey, delta.revision)
      return
    }
    this.#deletions.delete(namespaceKey)
    const image = this.#images.get(namespaceKey)
    if (image === undefined || delta.fromRevision === 0) {
      this.#images.set(namespaceKey, new NamespaceImage(delta))
    } else {
      image.apply(delta)
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
    this.#images.get(namespaceKey)?.compact(compactedRevision)
  }

  /** @param held the revision that a watcher has; `undefined` when it has nothing */
  changesSince(namespaceKey: string, held: number | undefined): Iterable<NamespaceChange> {
    const image = this.#images.get(namespaceKey)
    if (image !== undefined) return image.since(held ?? 0)
    if (held === undefined) return []
    const revision = this.#deletions.get(namespaceKey) ?? held
    return [{ ...nothing, namespaceKey, fromRevision: held, revision, deleted: true }]
  }
}

const nothing = {
  flags: [],
  segments: [],
  deletedFlagKeys: [],
  deletedSegmentKeys: [],
  more: false,
}
