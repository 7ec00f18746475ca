import {
  canResume,
  type NamespaceDelta,
  type Revisions,
  type SizedSegment,
  type Tombstone,
} from './changes-since.store.ts'
import type { EncodedFlag } from './flag-states.ts'
import { toMessages, type UnsentChange } from './messages.ts'

/**
 * A namespace as it is sent, in memory: each flag and segment with the revision of its last change,
 * and the tombstones that the database still has. So a watcher at any later revision is sent the
 * difference.
 */
export class NamespaceState {
  readonly #namespaceKey: string
  #revisions: Revisions
  readonly #flags = new Map<string, EncodedFlag>()
  readonly #segments = new Map<string, SizedSegment>()
  /** By kind and key. */
  readonly #tombstones = new Map<string, Tombstone>()
  /** The last change, as it is sent to nearly all watchers: they held the revision before it. */
  #last: NamespaceDelta | undefined

  /** @param whole with `fromRevision` 0 */
  constructor(whole: NamespaceDelta) {
    this.#namespaceKey = whole.namespaceKey
    this.#revisions = whole
    this.apply(whole)
    this.#last = undefined
  }

  get revision(): number {
    return this.#revisions.revision
  }

  apply(change: NamespaceDelta): void {
    for (const { kind, key, revision } of change.tombstones) {
      if (kind === 'flag') this.#flags.delete(key)
      else this.#segments.delete(key)
      this.#tombstones.set(`${kind} ${key}`, { kind, key, revision })
    }
    for (const flag of change.flags) {
      this.#flags.set(flag.key, flag)
      this.#tombstones.delete(`flag ${flag.key}`)
    }
    for (const segment of change.segments) {
      this.#segments.set(segment.segment.key, segment)
      this.#tombstones.delete(`segment ${segment.segment.key}`)
    }
    const { revision, createdRevision, compactedRevision, changedAtMs } = change
    this.#revisions = {
      revision,
      createdRevision,
      changedAtMs,
      compactedRevision: this.#revisions.compactedRevision,
    }
    this.compact(compactedRevision)
    this.#last = change
  }

  /** Forgets what was deleted up to a revision. */
  compact(compactedRevision: number): void {
    if (compactedRevision <= this.#revisions.compactedRevision) return
    this.#revisions = { ...this.#revisions, compactedRevision }
    for (const [name, { revision }] of this.#tombstones) {
      if (revision <= compactedRevision) this.#tombstones.delete(name)
    }
  }

  /** What takes a watcher from a revision to this one: messages that belong together, or none. */
  since(held: number): Iterable<UnsentChange> {
    const { revision, changedAtMs } = this.#revisions
    if (held === revision) return []
    if (held === this.#last?.fromRevision) return toMessages(this.#last)
    const fromRevision = canResume(held, this.#revisions) ? held : 0
    const isNews = (one: { readonly revision: number }) => one.revision > fromRevision
    // Lists, and not what the maps will hold when a slow watcher has taken the first message.
    return toMessages({
      namespaceKey: this.#namespaceKey,
      fromRevision,
      revision,
      changedAtMs,
      flags: [...this.#flags.values()].filter(isNews),
      segments: [...this.#segments.values()].filter(isNews),
      tombstones: fromRevision === 0 ? [] : [...this.#tombstones.values()].filter(isNews),
    })
  }
}
