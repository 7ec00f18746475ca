import { Percent, Plus } from 'lucide-react'
import { Button } from '../../../components/button.tsx'
import { Icon } from '../../../components/icon.tsx'
import { useTexts } from '../../../text/texts.ts'
import { useFlag } from '../here.ts'
import type { Edits } from './edits.ts'
import { addPercentage, nextPercentage, segmentRollout } from './rollouts.ts'
import { SegmentChoice } from './segments-field.tsx'
import { addRule } from './split.ts'
import { addStep, isBoolean } from './steps.ts'
import { targetingTexts } from './texts.ts'

interface Props {
  readonly edits: Edits
  /** A share of a segment is wanted, which a boolean flag cannot serve. */
  readonly onShare: () => void
}

/** What can be added below the others. */
export function AddSteps({ edits: { edit }, onShare }: Props) {
  const t = useTexts(targetingTexts)
  const { draft, readOnlyReason } = useFlag()
  const isYesNo = isBoolean(draft.draft.present)
  const segmentLabel = isYesNo ? t.addSegmentRollout : t.addRule
  return (
    <div className="mt-4 flex flex-wrap gap-2 ps-9 narrow:ps-7.5">
      <SegmentChoice
        label={segmentLabel}
        onChoose={(key) =>
          edit((flag) => (isYesNo ? addStep(flag, segmentRollout(key)) : addRule(flag, key)))
        }
        trigger={
          <Button
            data-add=""
            aria-label={isYesNo ? t.addSegmentRollout : t.addRule}
            disabledReason={readOnlyReason}
          >
            <Icon of={Plus} />
            {segmentLabel}
          </Button>
        }
      />
      {isYesNo && (
        <>
          <Button
            disabledReason={readOnlyReason}
            onClick={() => edit((flag) => addPercentage(flag, nextPercentage(flag)))}
          >
            <Icon of={Plus} />
            {t.addPercentageRollout}
          </Button>
          <Button look="quiet" disabledReason={readOnlyReason} onClick={onShare}>
            <Icon of={Percent} />
            {t.shareOfSegment}
          </Button>
        </>
      )}
    </div>
  )
}
