import type { ConstraintDocument, Segment, SegmentDocument } from '@svc/client/api'
import { entityProperty, type Kind, kinds } from '../../constraints/kinds.ts'
import { isEqual } from '../../data/draft.ts'

export type RowState = 'clean' | 'edited' | 'added' | 'removed'

/** A constraint of a draft, or one that the draft takes away. */
export interface Row {
  readonly constraint: ConstraintDocument
  readonly state: RowState
}

/** The constraints of a draft in their order; those that it takes away stand where they were. */
export function rowsOf(
  base: readonly ConstraintDocument[],
  present: readonly ConstraintDocument[],
): readonly Row[] {
  const known = new Map(base.map((one) => [one.id, one]))
  const rows = present.map((constraint): Row => {
    const before = known.get(constraint.id)
    if (before === undefined) return { constraint, state: 'added' }
    return { constraint, state: isEqual(before, constraint) ? 'clean' : 'edited' }
  })
  for (const [place, constraint] of base.entries()) {
    if (present.some(({ id }) => id === constraint.id)) continue
    const before = base[place - 1]
    const at = rows.findIndex((row) => row.constraint.id === before?.id) + 1
    rows.splice(at, 0, { constraint, state: 'removed' })
  }
  return rows
}

/** Changes as a person counts them: constraints, and the word between them. */
export function countChanges(base: SegmentDocument, present: SegmentDocument): number {
  const rows = rowsOf(base.constraints, present.constraints)
  const changed = rows.filter(({ state }) => state !== 'clean').length
  return changed + Number(base.matchType !== present.matchType)
}

/** The draft with a constraint back at its place. */
export function restore(
  base: readonly ConstraintDocument[],
  present: readonly ConstraintDocument[],
  id: string,
): readonly ConstraintDocument[] {
  return rowsOf(base, present)
    .filter(({ constraint, state }) => state !== 'removed' || constraint.id === id)
    .map(({ constraint }) => constraint)
}

/** A property that constraints ask about, with the type that most of them have. */
export interface KnownProperty {
  readonly name: string
  readonly type: Kind
}

/** Properties of the segments of a namespace, those of the most constraints first. */
export function propertiesOf(segments: readonly Pick<Segment, 'constraints'>[]) {
  const counts = new Map<string, Map<Kind, number>>()
  for (const { property, type } of segments.flatMap(({ constraints }) => constraints)) {
    const kind = kinds.find((one) => one === type)
    if (kind === undefined || property === entityProperty) continue
    const types = counts.get(property) ?? new Map<Kind, number>()
    counts.set(property, types.set(kind, (types.get(kind) ?? 0) + 1))
  }
  const sum = (types: ReadonlyMap<Kind, number>) =>
    [...types.values()].reduce((sum, count) => sum + count, 0)
  return [...counts]
    .sort(([, one], [, other]) => sum(other) - sum(one))
    .map(([name, types]): KnownProperty => {
      const [[type] = ['STRING_COMPARISON_TYPE'] as const] = [...types].sort(
        ([, one], [, other]) => other - one,
      )
      return { name, type }
    })
}

/** An id for what is new in a draft. The service makes one of its own. Needs no secure page. */
export function newId(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16))
  const hex = [...bytes].map((byte) => byte.toString(16).padStart(2, '0')).join('')
  return hex.replace(/^(.{8})(.{4}).(.{3}).(.{3})(.{12})$/, '$1-$2-4$3-8$4-$5')
}
