import { type Content, type DocumentOf, planPromotion } from '@svc/documents'

type ObjectKind = 'flag' | 'segment'

export type Standing = 'differs' | 'new' | 'same' | 'only there'

/** A flag or a segment of one namespace or of both. */
export interface CompareRow<K extends ObjectKind = ObjectKind> {
  readonly kind: K
  readonly key: string
  readonly name: string
  readonly standing: Standing
  readonly source: DocumentOf[K] | undefined
  readonly target: DocumentOf[K] | undefined
}

const order: readonly Standing[] = ['differs', 'new', 'only there', 'same']

/** What differs comes first; ids and places in the list mean nothing here. */
export function rowsOf<K extends ObjectKind>(
  kind: K,
  source: Content,
  target: Content,
): readonly CompareRow<K>[] {
  const plan = planPromotion({
    source,
    target,
    flagKeys: kind === 'flag' ? source.flags.map(({ key }) => key) : [],
    segmentKeys: kind === 'segment' ? source.segments.map(({ key }) => key) : [],
    withSegments: 'none',
    withState: true,
  })
  const verdicts = new Map(plan.objects.map(({ key, verdict }) => [key, verdict]))
  const [sources, targets] = [documentsOf(kind, source), documentsOf(kind, target)]
  const known = new Map(targets.map((document) => [document.key, document]))
  const rows = sources.map((document): CompareRow<K> => {
    const { key, name } = document
    const found = known.get(key)
    known.delete(key)
    const isSame = verdicts.get(key) === 'equal'
    const standing = found === undefined ? 'new' : isSame ? 'same' : 'differs'
    return { kind, key, name: name || key, standing, source: document, target: found }
  })
  const others = [...known.values()].map((document): CompareRow<K> => {
    const { key, name } = document
    return {
      kind,
      key,
      name: name || key,
      standing: 'only there',
      source: undefined,
      target: document,
    }
  })
  return [...rows, ...others].toSorted(
    (one, other) =>
      order.indexOf(one.standing) - order.indexOf(other.standing) || (one.key < other.key ? -1 : 1),
  )
}

/** Whether there is something to take over. */
export function canTake({ standing }: CompareRow): boolean {
  return standing === 'differs' || standing === 'new'
}

function documentsOf<K extends ObjectKind>(
  kind: K,
  { flags, segments }: Content,
): readonly DocumentOf[K][] {
  // The list is that of the kind.
  return (kind === 'flag' ? flags : segments) as readonly DocumentOf[K][]
}
