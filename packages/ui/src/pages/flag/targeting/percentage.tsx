import type { RolloutDocument } from '@svc/client/api'
import { TriangleAlert } from 'lucide-react'
import type { Share } from '../../../components/hue.ts'
import { Icon } from '../../../components/icon.tsx'
import { ShareRuler } from '../../../components/ruler.tsx'
import { type Reach, toPercentage } from '../../../review/reach.ts'
import { useFormat, useTexts } from '../../../text/texts.ts'
import type { Edits } from './edits.ts'
import { setPercentage } from './rollouts.ts'
import { ShareField } from './share-field.tsx'
import { targetingTexts } from './texts.ts'

interface Props {
  readonly rollout: RolloutDocument
  readonly was: RolloutDocument | undefined
  /** What it is called, such as `rollout 2`. */
  readonly name: string
  readonly reach: Reach
  readonly edits: Edits
}

/** The sentence of a percentage: `For 25% of the rest`. */
export function PercentageWords({
  rollout,
  was,
  name,
  reach,
  hasSegmentsAbove,
  edits: { edit, end },
}: Props & { readonly hasSegmentsAbove: boolean }) {
  const t = useTexts(targetingTexts)
  const format = useFormat()
  const percentage = rollout.threshold?.percentage ?? 0
  const before = was?.threshold?.percentage
  return (
    <>
      <span className="text-13 text-muted">{t.for}</span>
      <ShareField
        value={percentage}
        name={t.percentageOf(name)}
        onChange={(value) =>
          edit((flag) => setPercentage(flag, rollout.id, value), `%${rollout.id}`)
        }
        onDone={end}
      />
      <span className="text-13 text-muted">
        {hasSegmentsAbove && reach.taken === 0 ? t.ofRest : t.ofAll}
      </span>
      {before !== undefined && before !== percentage && (
        <del className="text-12 text-danger">{format.exactShare(before)}</del>
      )}
    </>
  )
}

/** The ruler of a percentage: what is taken above, what it had, and what a draft adds. */
export function PercentageRuler({
  rollout,
  was,
  name,
  reach,
  isLast,
  edits: { edit, end },
}: Props & { readonly isLast: boolean }) {
  const t = useTexts(targetingTexts)
  const { exactShare: share } = useFormat()
  const { percentage = 0, value = false } = rollout.threshold ?? {}
  const before = was?.threshold?.value === value ? was.threshold.percentage : undefined
  return (
    <ShareRuler
      value={percentage}
      name={t.percentageOf(name)}
      onChange={(next) => edit((flag) => setPercentage(flag, rollout.id, next), `%${rollout.id}`)}
      onDone={end}
      shares={toShares(percentage, value, reach.taken, before, {
        value: value ? t.on : t.off,
        taken: t.takenAbove(share(reach.taken)),
        more: (percentage) => t.more(share(percentage)),
      })}
      rest={isLast ? t.toElse : t.goOn}
    />
  )
}

/** What a percentage below others adds. All of them use one bucket for an entity. */
export function PercentageReach({ taken, adds, isAllTaken }: Reach) {
  const t = useTexts(targetingTexts)
  const { exactShare: share } = useFormat()
  if (taken === 0) return null
  if (adds > 0) return <span className="whitespace-nowrap">{t.adds(share(adds))}</span>
  return (
    <span className="flex items-start gap-1.5 text-draft">
      <Icon of={TriangleAlert} small className="mt-0.5 flex-none" />
      <span>
        <b className="font-medium">{t.addsNone}</b>
        <span className="block text-muted">{isAllTaken ? t.addsNoneForAll : t.addsNoneWhy}</span>
      </span>
    </span>
  )
}

function toShares(
  percentage: number,
  value: boolean,
  taken: number,
  before: number | undefined,
  words: {
    readonly value: string
    readonly taken: string
    readonly more: (percentage: number) => string
  },
): readonly Share[] {
  const hue = value ? 'on' : 'none'
  const had = before === undefined ? percentage : Math.min(percentage, before)
  const kept = toPercentage(had - taken)
  const added = toPercentage(percentage - Math.max(had, taken))
  return [
    { name: 'taken', hue: 'none', percentage: taken, look: 'taken', label: words.taken },
    { name: words.value, hue, percentage: kept },
    { name: words.value, hue, percentage: added, look: 'new', label: words.more(added) },
  ]
}
