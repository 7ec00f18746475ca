import type { ChangeItem } from '@svc/client/api'
import { useQuery } from '@tanstack/react-query'
import { type ReactNode, useMemo } from 'react'
import { constraintTexts } from '../constraints/texts.ts'
import { segmentsQuery } from '../data/queries.ts'
import { readLogged } from '../review/documents.ts'
import { SentenceList } from '../review/sentence-list.tsx'
import { sentencesOf } from '../review/sentences.ts'
import { reviewTexts } from '../review/texts.ts'
import { useFormat, useTexts } from '../text/texts.ts'

interface Props {
  readonly item: ChangeItem
  readonly namespaceKey: string
  /** Of what has no sentences: settings, and what was made or deleted. */
  readonly fallback: ReactNode
}

/** What a change has changed in a flag or a segment, as in the review before it was saved. */
export default function ItemSentences({ item, namespaceKey, fallback }: Props) {
  const t = useTexts(reviewTexts)
  const c = useTexts(constraintTexts)
  const format = useFormat()
  const { data } = useQuery(segmentsQuery(namespaceKey))
  const sentences = useMemo(() => {
    // Their names as of now. What they held at that time is not known.
    const segments = (data?.segments ?? []).map(({ key, name }) => ({ key, name }))
    const words = { t, c, format, segments }
    const [flags, parts] = [pairOf('flag', item), pairOf('segment', item)]
    if (flags !== undefined) return sentencesOf('flag', ...flags, words)
    return parts === undefined ? [] : sentencesOf('segment', ...parts, words)
  }, [item, t, c, format, data])
  return sentences.length === 0 ? fallback : <SentenceList sentences={sentences} />
}

/** Both documents, when the item is of the kind and was there before and after. */
function pairOf<K extends 'flag' | 'segment'>(kind: K, { kind: of, before, after }: ChangeItem) {
  if (of !== (kind === 'flag' ? 'FLAG_KIND' : 'SEGMENT_KIND')) return undefined
  const [was, is] = [readLogged(kind, before), readLogged(kind, after)]
  return was === undefined || is === undefined ? undefined : ([was, is] as const)
}
