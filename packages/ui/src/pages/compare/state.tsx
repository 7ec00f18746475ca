import type { Content, DocumentOf } from '@svc/documents'
import { Bar } from '../../components/bar.tsx'
import { hueOf, type Share } from '../../components/hue.ts'
import type { DocumentOf as Documents } from '../../review/documents.ts'
import { type FlagState, stateOf } from '../../review/state.ts'
import { sayState } from '../../review/state-sentences.ts'
import { stateTexts } from '../../review/state-texts.ts'
import { useFormat, useTexts } from '../../text/texts.ts'
import { compareTexts } from './texts.ts'

/** What people get from a flag of a namespace. */
export function FlagServes({
  flag,
  content,
}: {
  readonly flag: DocumentOf['flag']
  readonly content: Content
}) {
  const t = useTexts(stateTexts)
  const format = useFormat()
  const isForEveryone = (key: string) =>
    content.segments.some((segment) => segment.key === key && segment.constraints.length === 0)
  // What is missing is not there in one type, and undefined in the other.
  const state = stateOf(flag as unknown as Documents['flag'], isForEveryone)
  const shares = sharesOf(state, flag)
  return (
    <span className="grid max-w-60 min-w-36 gap-1.25">
      {shares !== undefined && <Bar shares={shares} />}
      <span className="text-12 text-muted wrap-anywhere">{sayState(state, t, format)}</span>
    </span>
  )
}

export function SegmentHolds({ segment }: { readonly segment: DocumentOf['segment'] }) {
  const t = useTexts(compareTexts)
  const { number } = useFormat()
  const count = segment.constraints.length
  return <span className="text-12 text-muted">{t.constraints(count, number(count))}</span>
}

/** Nothing where it depends on who asks. */
function sharesOf(
  state: FlagState,
  { variants }: DocumentOf['flag'],
): readonly Share[] | undefined {
  if (state.kind === 'stopped') return []
  if (state.kind === 'boolean')
    return state.share === undefined
      ? undefined
      : [{ name: 'on', hue: 'on', percentage: state.share }]
  const place = variants.findIndex((variant) => variant.default)
  const name = variants[place]?.key
  if (state.kind === 'enabled' && state.rules > 0) return undefined
  return name === undefined ? [] : [{ name, hue: hueOf(place), percentage: 100 }]
}
