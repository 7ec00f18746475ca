import { Segment } from '@svc/proto/resource/v1/segments'
import { FlagState, type NamespaceChange, type WatchResponse } from '@svc/proto/resource/v1/watch'
import type { Resources } from './resources.ts'
import { sentState } from './sent-state.ts'

interface NamespaceCopy {
  revision: number
  readonly flags: Map<string, FlagState>
  readonly segments: Map<string, Segment>
}

/** What a watcher holds of the namespaces, by applying what it is sent. */
export class Copy {
  readonly namespaces = new Map<string, NamespaceCopy>()
  readonly responses: WatchResponse[] = []
  isSynced = false
  #begun: NamespaceChange[] = []

  get revisions(): Record<string, number> {
    return Object.fromEntries([...this.namespaces].map(([key, { revision }]) => [key, revision]))
  }

  /** Comparable with {@link readEverything}. */
  get content(): object {
    const entries = [...this.namespaces].map(([key, { revision, flags, segments }]) => {
      return [key, { revision, ...inOrder(flags.values(), segments.values()) }] as const
    })
    return Object.fromEntries(entries.toSorted(byName))
  }

  get changes(): NamespaceChange[] {
    return this.responses.flatMap(({ change = [] }) => change)
  }

  /** The stream ended; what had begun and was not completed does not count. */
  disconnect(): void {
    this.#begun = []
    this.isSynced = false
  }

  apply(response: WatchResponse): void {
    this.responses.push(response)
    if (response.synced !== undefined) this.isSynced = true
    if (response.change === undefined) return
    this.#begun.push(response.change)
    if (response.change.more) return
    for (const change of this.#begun) this.#applyPart(change, change === this.#begun[0])
    this.#begun = []
    this.#checkReferences(response.change.namespaceKey)
  }

  /** What belongs together has come together. */
  #checkReferences(namespaceKey: string): void {
    const copy = this.namespaces.get(namespaceKey)
    for (const { flag, rules, rollouts } of copy?.flags.values() ?? []) {
      const choices = [...rules, ...rollouts.flatMap(({ segment = [] }) => segment)]
      for (const { segmentKey, segmentKeys } of choices) {
        const missing = [segmentKey, ...segmentKeys].find(
          (key) => key !== '' && !copy?.segments.has(key),
        )
        if (missing === undefined) continue
        throw new Error(`flag ${flag?.key} was sent without segment ${missing}`)
      }
    }
  }

  #applyPart(change: NamespaceChange, isFirst: boolean): void {
    const { namespaceKey, fromRevision, revision } = change
    if (change.deleted) {
      this.namespaces.delete(namespaceKey)
      return
    }
    if (fromRevision === 0 && isFirst) {
      this.namespaces.set(namespaceKey, { revision, flags: new Map(), segments: new Map() })
    }
    const copy = this.namespaces.get(namespaceKey)
    if (copy === undefined) throw new Error(`changes of ${namespaceKey}, which was never sent`)
    if (fromRevision !== 0 && isFirst && copy.revision !== fromRevision) {
      throw new Error(`changes from ${fromRevision} for a copy at ${copy.revision}`)
    }
    for (const encoded of change.flags) {
      const state = FlagState.decode(encoded)
      copy.flags.set(state.flag?.key ?? '', state)
    }
    for (const segment of change.segments) copy.segments.set(segment.key, segment)
    for (const key of change.deletedFlagKeys) copy.flags.delete(key)
    for (const key of change.deletedSegmentKeys) copy.segments.delete(key)
    copy.revision = revision
  }
}

/** What a copy should hold, read through the other handlers. */
export async function readEverything(resources: Resources): Promise<object> {
  const { listNamespaces, listFlags, listSegments, listRules, listRollouts } = resources
  const everything: [string, object][] = []
  for (const { key: namespaceKey } of (await listNamespaces({})).namespaces) {
    const flags: FlagState[] = []
    for (const flag of (await listFlags({ namespaceKey })).flags) {
      const target = { namespaceKey, flagKey: flag.key }
      const { rules } = await listRules(target)
      const { rules: rollouts } = await listRollouts(target)
      flags.push(sentState(flag, rules, rollouts))
    }
    // As a copy is sent them.
    const segments = (await listSegments({ namespaceKey })).segments.map((segment) =>
      Segment.decode(Segment.encode(segment).finish()),
    )
    const revision = await resources.revision(namespaceKey)
    everything.push([namespaceKey, { revision, ...inOrder(flags, segments) }])
  }
  return Object.fromEntries(everything.toSorted(byName))
}

/** Changes come in the order of their revisions, lists in that of creation. */
function inOrder(flags: Iterable<FlagState>, segments: Iterable<Segment>) {
  return {
    flags: Object.fromEntries(
      [...flags].map((one) => [one.flag?.key ?? '', one] as const).toSorted(byName),
    ),
    segments: Object.fromEntries(
      [...segments].map((one) => [one.key, one] as const).toSorted(byName),
    ),
  }
}

function byName([a]: readonly [string, unknown], [b]: readonly [string, unknown]): number {
  return a < b ? -1 : 1
}
