import type { FlagLine, RecordsChange, SegmentLine } from './records.ts'
import { Slices } from './slices.ts'

/** Flags and segments by their keys. */
export interface Lines {
  readonly flagLines: ReadonlyMap<string, FlagLine>
  readonly segmentLines: ReadonlyMap<string, SegmentLine>
}

type Line = FlagLine | SegmentLine

/**
 * Finds out, in slices, which flags are not what they were: by themselves, or by their segments.
 *
 * @param before as it was; of a change that is not the whole, what the change concerns is enough
 * @param after as it is, which must not change meanwhile
 */
export async function changedKeys(
  change: RecordsChange,
  before: Lines,
  after: Lines,
): Promise<string[]> {
  const keys = new Set<string>()
  const slices = new Slices()
  for (const _ of comparing(change, before, after, keys)) if (slices.isOver) await slices.next()
  return [...keys]
}

function* comparing(change: RecordsChange, before: Lines, after: Lines, keys: Set<string>) {
  const isWhole = change.fromRevision === 0
  const segmentKeys = new Set<string>()
  yield* differences(change.segments, before.segmentLines, segmentKeys)
  const goneSegments = isWhole ? before.segmentLines.keys() : change.deletedSegmentKeys
  yield* deletions(goneSegments, before.segmentLines, after.segmentLines, segmentKeys)
  yield* differences(change.flags, before.flagLines, keys)
  const goneFlags = isWhole ? before.flagLines.keys() : change.deletedFlagKeys
  yield* deletions(goneFlags, before.flagLines, after.flagLines, keys)
  if (segmentKeys.size === 0) return
  for (const { key, text } of after.flagLines.values()) {
    if (refersTo(text, segmentKeys)) keys.add(key)
    yield
  }
}

function* differences(
  lines: readonly Line[],
  before: ReadonlyMap<string, Line>,
  found: Set<string>,
) {
  for (const { key, text } of lines) {
    if (before.get(key)?.text !== text) found.add(key)
    yield
  }
}

function* deletions(
  keys: Iterable<string>,
  before: ReadonlyMap<string, Line>,
  after: ReadonlyMap<string, Line>,
  found: Set<string>,
) {
  for (const key of keys) {
    if (before.has(key) && !after.has(key)) found.add(key)
    yield
  }
}

/** Whether the JSON of a flag names any of the segments. Within texts the quotes have a backslash. */
function refersTo(text: string, segmentKeys: ReadonlySet<string>): boolean {
  for (const [, list = ''] of text.matchAll(/"segmentKeys":\[([^[\]]*)\]/g)) {
    for (const quoted of list.split('",')) {
      if (segmentKeys.has(quoted.replaceAll('"', ''))) return true
    }
  }
  return false
}
