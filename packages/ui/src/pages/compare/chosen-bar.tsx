import { ArrowRight } from 'lucide-react'
import { Button } from '../../components/button.tsx'
import { Icon } from '../../components/icon.tsx'
import { useFormat, useTexts } from '../../text/texts.ts'
import { compareTexts } from './texts.ts'

interface Props {
  readonly flagCount: number
  readonly segmentCount: number
  readonly targetName: string
  readonly onClear: () => void
  readonly onReview: () => void
}

/** What is chosen, and the way to look at it before it is saved. */
export function ChosenBar({ flagCount, segmentCount, targetName, onClear, onReview }: Props) {
  const t = useTexts(compareTexts)
  const { number } = useFormat()
  if (flagCount + segmentCount === 0) return null
  return (
    <section
      aria-label={t.chosen}
      className="sticky bottom-4 z-bar mx-auto mt-6 flex w-fit max-w-full flex-wrap items-center gap-2 rounded-4 bg-raised py-2 ps-4 pe-2 text-13 shadow-layer"
    >
      <b role="status" className="me-2 whitespace-nowrap">
        {t.counts(flagCount, number(flagCount), segmentCount, number(segmentCount))}
      </b>
      <Button look="quiet" onClick={onClear}>
        {t.clear}
      </Button>
      <Button look="primary" onClick={onReview}>
        {t.reviewFor(targetName)}
        <Icon of={ArrowRight} />
      </Button>
    </section>
  )
}
