import { FlagSet } from '@svc/evaluation'
import { changedKeys, type Lines } from './changed-keys.ts'
import type { FlagLine, RecordsChange, SegmentLine } from './records.ts'
import { Slices } from './slices.ts'

/** Maximum number of items, and of their characters, that are taken in at once: 2 ms or so. */
const maxAtOnce = 256
const maxLengthAtOnce = 256 * 1024

/** All that there is of a namespace, as of one revision. */
interface Content extends Lines {
  readonly flags: FlagSet
  readonly flagLines: Map<string, FlagLine>
  readonly segmentLines: Map<string, SegmentLine>
}

const nothing = { flags: [], segments: [], deletedFlagKeys: [], deletedSegmentKeys: [] }

/** The flags and segments of a namespace, compiled for evaluation and as the lines that they came as. */
export class NamespaceCopy {
  #content = emptyContent()

  /** Another object after a change that is too large to be taken in at once. */
  get flags(): FlagSet {
    return this.#content.flags
  }

  flagLine(key: string): FlagLine | undefined {
    return this.#content.flagLines.get(key)
  }

  segmentLine(key: string): SegmentLine | undefined {
    return this.#content.segmentLines.get(key)
  }

  /** The lines as they are now: later changes leave the lists alone. */
  lines(): { readonly flags: readonly FlagLine[]; readonly segments: readonly SegmentLine[] } {
    const { flagLines, segmentLines } = this.#content
    return { flags: [...flagLines.values()], segments: [...segmentLines.values()] }
  }

  /**
   * Takes in a change; one at a time. No evaluation sees a part of it.
   *
   * @param show called in the turn in which evaluations begin to see it
   * @param wantsKeys whether to find out which flags are not what they were
   * @returns their keys
   * @throws {RecordsError} for a segment that cannot be read; nothing has changed then
   */
  async apply(change: RecordsChange, wantsKeys: boolean, show: () => void): Promise<string[]> {
    const isWhole = change.fromRevision === 0
    const before = this.#content
    const base = isWhole ? emptyContent() : before
    let known: Lines = before
    if (isSmall(change)) {
      if (!isWhole) known = linesOf(change, before)
      take(change, base)
      this.#content = base
    } else {
      this.#content = await rebuild(change, base)
    }
    show()
    return wantsKeys ? await changedKeys(change, known, this.#content) : []
  }
}

function emptyContent(): Content {
  return { flags: new FlagSet(), flagLines: new Map(), segmentLines: new Map() }
}

function isSmall({ flags, segments, deletedFlagKeys, deletedSegmentKeys }: RecordsChange): boolean {
  const deleted = deletedFlagKeys.length + deletedSegmentKeys.length
  if (flags.length + segments.length + deleted > maxAtOnce) return false
  let length = 0
  for (const { text } of flags) length += text.length
  for (const { text } of segments) length += text.length
  return length <= maxLengthAtOnce
}

/** Those lines that a change replaces or deletes. */
function linesOf(change: RecordsChange, { flagLines, segmentLines }: Lines): Lines {
  const pick = <Line>(
    lines: ReadonlyMap<string, Line>,
    changed: readonly { readonly key: string }[],
    deletedKeys: readonly string[],
  ) => {
    const keys = [...changed.map(({ key }) => key), ...deletedKeys]
    return new Map(keys.flatMap((key) => pair(key, lines.get(key))))
  }
  return {
    flagLines: pick(flagLines, change.flags, change.deletedFlagKeys),
    segmentLines: pick(segmentLines, change.segments, change.deletedSegmentKeys),
  }
}

function pair<Value>(key: string, value: Value | undefined): [string, Value][] {
  return value === undefined ? [] : [[key, value]]
}

/** Takes a change in, in this turn. */
function take(change: RecordsChange, { flags, flagLines, segmentLines }: Content): void {
  // First what may throw.
  const segments = change.segments.map((line) => line.toRecord())
  flags.apply({ ...change, segments })
  for (const key of change.deletedFlagKeys) flagLines.delete(key)
  for (const key of change.deletedSegmentKeys) segmentLines.delete(key)
  for (const line of change.flags) flagLines.set(line.key, line)
  for (const line of change.segments) segmentLines.set(line.key, line)
}

/** Makes a new content in slices, while evaluations go on with the one before. */
async function rebuild(change: RecordsChange, before: Content): Promise<Content> {
  const content = emptyContent()
  const slices = new Slices()
  for (const _ of rebuilding(change, before, content)) if (slices.isOver) await slices.next()
  return content
}

function* rebuilding(change: RecordsChange, before: Content, content: Content) {
  const { flags, flagLines, segmentLines } = content
  const deletedFlags = new Set<string>()
  for (const key of change.deletedFlagKeys) yield deletedFlags.add(key)
  const deletedSegments = new Set<string>()
  for (const key of change.deletedSegmentKeys) yield deletedSegments.add(key)

  const addSegment = (line: SegmentLine) => {
    segmentLines.set(line.key, line)
    flags.apply({ ...nothing, segments: [line.toRecord()] })
  }
  for (const line of before.segmentLines.values()) {
    yield deletedSegments.has(line.key) || addSegment(line)
  }
  for (const line of change.segments) yield addSegment(line)

  const addFlag = (line: FlagLine) => {
    flagLines.set(line.key, line)
    flags.apply({ ...nothing, flags: [line] })
  }
  for (const line of before.flagLines.values()) yield deletedFlags.has(line.key) || addFlag(line)
  for (const line of change.flags) yield addFlag(line)
}
