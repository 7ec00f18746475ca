import type { FlagRecord, FlagSource, SegmentRecord } from '@svc/evaluation'
import type { FlagRecord as FlagJson } from './api/gen/operations.ts'

/** What takes a copy of a namespace from one revision to a later one, read from the text of `Records`. */
export interface RecordsChange {
  /** What the copy has afterwards. */
  readonly revision: number
  /** The revision, or one before it, that the copy needs to have; 0 when this is the whole. */
  readonly fromRevision: number
  readonly flags: readonly FlagLine[]
  readonly segments: readonly SegmentLine[]
  readonly deletedFlagKeys: readonly string[]
  readonly deletedSegmentKeys: readonly string[]
}

/** A text that is not that of `Records`. */
export class RecordsError extends Error {
  override readonly name = 'RecordsError'
}

/** A flag as the line of JSON that it came as. It is read when the flag is first needed. */
export class FlagLine implements FlagSource {
  readonly key: string
  /** Without the comma that may end the line. */
  readonly text: string

  /** @throws {RecordsError} when the line has no key */
  constructor(text: string) {
    this.text = text
    this.key = keyOf(text)
  }

  /** @throws {RecordsError} when the line is no flag */
  toRecord(): FlagRecord {
    const flag: FlagJson = parse(this.text)
    if (!isWhole(flag)) throw new RecordsError(`the line is no flag: ${excerptOf(this.text)}`)
    const { key, type, enabled, created, defaultVariantId, variants, rules, rollouts } = flag
    return {
      ...{ key, type, enabled, variants },
      createdAt: { seconds: Math.floor(created / 1e6), nanos: (created % 1e6) * 1000 },
      defaultVariant: defaultVariantId === '' ? undefined : { id: defaultVariantId },
      rules: rules.map(({ distributions, ...rule }) => ({
        segmentKey: '',
        ...rule,
        distributions: distributions.map(({ variantId, rollout }) => ({
          variantId,
          rollout: Math.fround(rollout),
        })),
      })),
      rollouts: rollouts.map(({ rank, segment, threshold }) => ({
        rank,
        segment: segment && { segmentKey: '', ...segment },
        threshold: threshold && { ...threshold, percentage: Math.fround(threshold.percentage) },
      })),
    }
  }
}

/** A segment as the line of JSON that it came as. */
export class SegmentLine {
  readonly key: string
  /** Without the comma that may end the line. */
  readonly text: string

  /** @throws {RecordsError} when the line has no key */
  constructor(text: string) {
    this.text = text
    this.key = keyOf(text)
  }

  /** @throws {RecordsError} when the line is no segment */
  toRecord(): SegmentRecord {
    return parse(this.text)
  }
}

function isWhole({ created, variants, rules, rollouts }: FlagJson): boolean {
  return Number.isFinite(created) && [variants, rules, rollouts].every(Array.isArray)
}

/** What a text has been found to hold so far. */
interface Reading {
  readonly revision: number
  readonly fromRevision: number
  readonly flags: FlagLine[]
  readonly segments: SegmentLine[]
  readonly deletedFlagKeys: string[]
  readonly deletedSegmentKeys: string[]
  /** Takes an item of the list that is open. */
  take: (line: string) => void
}

/**
 * Reads the text of `Records` a line at a time, so that a large one never takes the thread for long: each
 * item of each list is a line. A line takes about a microsecond, because flags are read when they are
 * needed. One reader reads one text after another.
 */
export class RecordsReader {
  #reading: Reading | undefined

  /**
   * @param line without its line break
   * @returns the change, with its last line
   * @throws {RecordsError} when the line cannot be where it is; the next line then begins a text
   */
  push(line: string): RecordsChange | undefined {
    try {
      return this.#push(line)
    } catch (error) {
      this.reset()
      throw error
    }
  }

  /** Forgets the lines of a text that will not end. */
  reset(): void {
    this.#reading = undefined
  }

  #push(line: string): RecordsChange | undefined {
    const reading = this.#reading
    if (reading === undefined) {
      this.#reading = open(line)
    } else if (!line.startsWith(']')) {
      reading.take(line.endsWith(',') ? line.slice(0, -1) : line)
    } else if (line.endsWith('[')) {
      reading.take = takerOf(reading, parse(`{${line.slice(2)}]}`))
    } else {
      parse(`{"":[${line}`)
      this.#reading = undefined
      const { take: _, ...change } = reading
      return change
    }
    return undefined
  }
}

/** @param line `{"revision":43,"fromRevision":42,"segments":[` */
function open(line: string): Reading {
  const head: Record<string, unknown> = parse(`${line}]}`)
  const { revision, fromRevision } = head
  if (!isRevision(revision) || !isRevision(fromRevision)) {
    throw new RecordsError(`the text has no revision: ${excerptOf(line)}`)
  }
  const lists = { flags: [], segments: [], deletedFlagKeys: [], deletedSegmentKeys: [] }
  const reading = { revision, fromRevision, ...lists, take: ignore }
  return { ...reading, take: takerOf(reading, head) }
}

/** What takes the items of the list that is the last member of an object. */
function takerOf(reading: Reading, opened: object): (line: string) => void {
  switch (Object.keys(opened).at(-1)) {
    case 'flags':
      return (line) => void reading.flags.push(new FlagLine(line))
    case 'segments':
      return (line) => void reading.segments.push(new SegmentLine(line))
    case 'deletedFlagKeys':
      return (line) => void reading.deletedFlagKeys.push(parse(line))
    case 'deletedSegmentKeys':
      return (line) => void reading.deletedSegmentKeys.push(parse(line))
    default:
      // A list of a later version.
      return ignore
  }
}

function isRevision(value: unknown): value is number {
  return Number.isSafeInteger(value) && Number(value) >= 0
}

/** A text of its own: a part of the line would keep all of the line in memory. */
function keyOf(line: string): string {
  // Where it is when the service wrote the line.
  const [, first] = /^\{"key":("(?:[^"\\]|\\.)*")/.exec(line) ?? []
  const key: unknown =
    first === undefined ? parse<{ key?: unknown } | null>(line)?.key : parse(first)
  if (typeof key !== 'string') throw new RecordsError(`the line has no key: ${excerptOf(line)}`)
  return key
}

function parse<Value>(json: string): Value {
  try {
    return JSON.parse(json)
  } catch (error) {
    throw new RecordsError(`the line is no JSON of records: ${excerptOf(json)}`, { cause: error })
  }
}

function excerptOf(line: string): string {
  return line.length > 80 ? `${line.slice(0, 80)}…` : line
}

function ignore(): void {}
