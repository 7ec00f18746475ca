import type { RolloutDocument } from '@svc/client/api'
import { useEffect, useRef } from 'react'
import type { Reach } from '../../../review/reach.ts'
import { useTexts } from '../../../text/texts.ts'
import { useFlag } from '../here.ts'
import type { Edits } from './edits.ts'
import { PercentageReach } from './percentage.tsx'
import { describeRollout } from './rollouts.ts'
import { targetingTexts } from './texts.ts'

interface Props {
  readonly rollout: RolloutDocument
  /** What it is called, such as `rollout 1`. */
  readonly name: string
  readonly reach: Reach | undefined
  /** Whether it was asked for a description a moment ago. */
  readonly isDescribing: boolean
  readonly onDescribed: () => void
  readonly edits: Edits
}

/** Below a rollout: why it is here, and what it adds. */
export function StepMeta({
  rollout: { id, description },
  name,
  reach,
  isDescribing,
  onDescribed,
  edits: { edit, end },
}: Props) {
  const t = useTexts(targetingTexts)
  const { readOnlyReason } = useFlag()
  const input = useRef<HTMLInputElement>(null)
  useEffect(() => {
    if (!isDescribing) return
    // The menu gives the focus back to its button first.
    const frame = requestAnimationFrame(() => input.current?.focus())
    return () => cancelAnimationFrame(frame)
  }, [isDescribing])
  const hasText = isDescribing || description !== ''
  const hasReach = reach !== undefined && reach.taken > 0
  if (!hasText && !hasReach) return null
  return (
    <div className="flex flex-wrap items-start justify-between gap-x-4 gap-y-1 px-4 pb-2.5 text-12 text-muted">
      {hasText && (
        <input
          ref={input}
          value={description}
          aria-label={t.descriptionOf(name)}
          placeholder={t.descriptionHint}
          readOnly={readOnlyReason !== undefined}
          className="-mx-1.5 min-h-6 min-w-40 flex-1 rounded-1 border border-transparent px-1.5 outline-none hover:border-line-strong focus:border-control focus:text-text focus-visible:outline-2 focus-visible:outline-focus"
          onChange={({ target: { value } }) =>
            edit((flag) => describeRollout(flag, id, value), `text ${id}`)
          }
          onBlur={() => {
            end()
            onDescribed()
          }}
        />
      )}
      {hasReach && (
        <span className="min-w-0 py-0.5">
          <PercentageReach {...reach} />
        </span>
      )}
    </div>
  )
}
