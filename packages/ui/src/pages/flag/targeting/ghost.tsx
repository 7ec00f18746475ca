import { Undo2 } from 'lucide-react'
import { Button } from '../../../components/button.tsx'
import { Badge } from '../../../components/chip.tsx'
import { Icon } from '../../../components/icon.tsx'
import { RuleCard, Stop } from '../../../components/rail.tsx'
import { useFormat, useTexts } from '../../../text/texts.ts'
import { useFlag } from '../here.ts'
import { sayStep } from './sentences.ts'
import type { Step } from './steps.ts'
import { targetingTexts } from './texts.ts'

interface Props {
  readonly step: Step
  readonly onRestore: () => void
}

/** Where a step stood that the draft takes out. */
export function Ghost({ step, onRestore }: Props) {
  const t = useTexts(targetingTexts)
  const format = useFormat()
  const { segments, readOnlyReason } = useFlag()
  const sentence = sayStep(step, t, format, segments.nameOf)
  return (
    <Stop node="–" data-ghost={step.id}>
      <RuleCard look="removed">
        <div className="flex min-h-9.5 flex-wrap items-center gap-x-3 gap-y-1 py-1.5 ps-4 pe-3 text-13">
          <span className="min-w-0 flex-1 wrap-anywhere">
            <del>{sentence}</del>
          </span>
          <Badge look="draft">{t.removed}</Badge>
          <Button
            size="small"
            aria-label={t.restoreIt(sentence)}
            disabledReason={readOnlyReason}
            onClick={onRestore}
          >
            <Icon of={Undo2} small />
            {t.restore}
          </Button>
        </div>
      </RuleCard>
    </Stop>
  )
}
