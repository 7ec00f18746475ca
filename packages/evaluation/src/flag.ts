import { type BooleanFlag, compileBooleanFlag } from './boolean-flag.ts'
import { type Condition, segmentsIn } from './condition.ts'
import type { FlagRecord } from './records.ts'
import type { Segment } from './segment.ts'
import { compileVariantFlag, type VariantFlag } from './variant-flag.ts'

export type CompiledFlag = BooleanFlag | VariantFlag

export function compileFlag(
  record: FlagRecord,
  findSegment: (key: string) => Segment,
): CompiledFlag {
  const createdAt = microseconds(record.createdAt)
  return record.type === 'BOOLEAN_FLAG_TYPE'
    ? compileBooleanFlag(record, createdAt, findSegment)
    : compileVariantFlag(record, createdAt, findSegment)
}

interface Part {
  readonly condition: Condition | undefined
  readonly next: Part | undefined
}

/** The segments that a flag refers to, one that it refers to twice twice. */
export function* segmentsOf(flag: CompiledFlag): Generator<Segment> {
  let part: Part | undefined = flag.type === 'BOOLEAN_FLAG_TYPE' ? flag.rollouts : flag.rules
  for (; part !== undefined; part = part.next) {
    if (part.condition !== undefined) yield* segmentsIn(part.condition)
  }
}

/** As one number, exact for the next two centuries, and as fine as the records are kept. */
function microseconds(instant: FlagRecord['createdAt']): number {
  return instant === undefined ? 0 : instant.seconds * 1e6 + Math.floor(instant.nanos / 1000)
}
