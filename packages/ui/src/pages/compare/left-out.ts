import { canonicalText, type DocumentOf, segmentKeysOf } from '@svc/documents'
import type { Promotion } from './promotion.ts'

/** Segments of the chosen flags that both namespaces have, that differ, and that are not taken over. */
export function leftOut(
  { plan, source, target }: Pick<Promotion, 'plan' | 'source' | 'target'>,
  flagKeys: readonly string[],
): readonly DocumentOf['segment'][] {
  const taken = new Set(plan.objects.filter(({ kind }) => kind === 'segment').map(({ key }) => key))
  const chosen = new Set(flagKeys)
  const used = new Set(source.flags.filter(({ key }) => chosen.has(key)).flatMap(segmentKeysOf))
  const others = new Map(target.segments.map((segment) => [segment.key, segment]))
  return source.segments.filter((segment) => {
    const other = others.get(segment.key)
    return (
      used.has(segment.key) &&
      !taken.has(segment.key) &&
      other !== undefined &&
      textOf(segment) !== textOf(other)
    )
  })
}

/** Ids belong to their namespace. */
function textOf(segment: DocumentOf['segment']): string {
  const constraints = segment.constraints.map((constraint) => ({ ...constraint, id: '' }))
  return canonicalText('segment', { ...segment, constraints })
}
