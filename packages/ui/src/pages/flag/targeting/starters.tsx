import type { FlagDocument } from '@svc/client/api'
import { Plus } from 'lucide-react'
import { Bar } from '../../../components/bar.tsx'
import { Icon } from '../../../components/icon.tsx'
import { RuleCard, Stop } from '../../../components/rail.tsx'
import { useFormat, useTexts } from '../../../text/texts.ts'
import { useFlag } from '../here.ts'
import type { Edits } from './edits.ts'
import { addPercentage, segmentRollout } from './rollouts.ts'
import { addStep, isBoolean } from './steps.ts'
import { targetingTexts } from './texts.ts'

interface Starter {
  readonly key: string
  readonly title: string
  readonly help: string
  readonly share: number
  readonly start: (flag: FlagDocument) => FlagDocument
}

/** Ways to begin with a flag that has no rule yet. */
export function Starters({ edits: { edit } }: { readonly edits: Edits }) {
  const t = useTexts(targetingTexts)
  const { share } = useFormat()
  const { draft, segments, readOnlyReason } = useFlag()
  const plus = <Icon of={Plus} small />
  if (!isBoolean(draft.draft.present)) {
    return (
      <Stop node={plus}>
        <RuleCard look="end" className="px-4 py-3 text-13 text-muted">
          {t.noRules}
        </RuleCard>
      </Stop>
    )
  }
  const first = segments.all.find(({ matchesEveryone }) => matchesEveryone !== true)
  const starters: readonly Starter[] = [
    ...(first === undefined
      ? []
      : [
          {
            key: 'segment',
            title: first.name || first.key,
            help: t.startSegment(first.name || first.key),
            share: 2,
            start: (flag: FlagDocument) => addStep(flag, segmentRollout(first.key)),
          },
        ]),
    {
      key: 'five',
      title: t.startFive(share(5)),
      help: t.startFiveHelp,
      share: 5,
      start: (flag) => addPercentage(flag, 5),
    },
    {
      key: 'half',
      title: t.startHalf,
      help: t.startHalfHelp,
      share: 50,
      start: (flag) => addPercentage(flag, 50),
    },
  ]
  return (
    <Stop node={plus}>
      <RuleCard look="end" className="p-4">
        <p className="mb-3 text-13 text-muted">
          <b className="text-text">{t.firstQuestion}</b> {t.firstHint}
        </p>
        <div className="grid grid-cols-[repeat(auto-fit,minmax(9rem,1fr))] gap-3">
          {starters.map(({ key, title, help, share, start }) => (
            <button
              key={key}
              type="button"
              aria-disabled={readOnlyReason !== undefined || undefined}
              title={readOnlyReason}
              className="grid content-start gap-2 rounded-3 border border-line-strong bg-raised p-3 text-start hover:border-control"
              onClick={() => readOnlyReason === undefined && edit(start)}
            >
              <b className="truncate text-13">{title}</b>
              <Bar shares={[{ name: 'on', hue: 'on', percentage: share }]} />
              <span className="text-12 text-muted">{help}</span>
            </button>
          ))}
        </div>
      </RuleCard>
    </Stop>
  )
}
