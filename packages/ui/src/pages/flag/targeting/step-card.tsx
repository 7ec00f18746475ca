import { useSortable } from '@dnd-kit/sortable'
import { CSS } from '@dnd-kit/utilities'
import type { RolloutDocument } from '@svc/client/api'
import clsx from 'clsx'
import { ChevronDown, GripVertical, TriangleAlert } from 'lucide-react'
import { type KeyboardEvent, useState } from 'react'
import { Badge } from '../../../components/chip.tsx'
import { Icon } from '../../../components/icon.tsx'
import { RuleCard, type RuleLook, Stop } from '../../../components/rail.tsx'
import type { Reach } from '../../../review/reach.ts'
import { useFormat, useTexts } from '../../../text/texts.ts'
import { useFlag } from '../here.ts'
import { type Line, newSegmentsOf } from './changes.ts'
import type { Edits } from './edits.ts'
import { PercentageRuler, PercentageWords } from './percentage.tsx'
import { SegmentsField } from './segments-field.tsx'
import { nameStep, sayStep } from './sentences.ts'
import { RolloutServes, RuleServes, ServeArrow } from './serves.tsx'
import { onlyVariantOf } from './split.ts'
import { SplitEditor } from './split-editor.tsx'
import { StepMeta } from './step-meta.tsx'
import { StepTools } from './step-tools.tsx'
import { isRollout, segmentsOf } from './steps.ts'
import { targetingTexts } from './texts.ts'

export interface StepActions {
  readonly onMove: (id: string, to: 'top' | 1 | -1) => void
  readonly onCopy: (id: string) => void
  readonly onRemove: (id: string) => void
  /** A share of the segments of a rollout is wanted. */
  readonly onShare: (rollout: RolloutDocument) => void
}

interface Props {
  readonly line: Line & { readonly place: number }
  /** The first place that it can be moved to, and the last. */
  readonly range: readonly [first: number, last: number]
  /** Of a percentage. */
  readonly reach: Reach | undefined
  readonly hasSegmentsAbove: boolean
  /** Nothing: it cannot be folded. */
  readonly isFolded: boolean
  readonly canFold: boolean
  readonly onFold: (isFolded: boolean) => void
  /** It is not asked while the flag is stopped or disabled. */
  readonly isWaiting: boolean
  readonly hasProblem: boolean
  readonly isGlowing: boolean
  readonly edits: Edits
  readonly actions: StepActions
}

/** A rule or a rollout of the draft, to be edited and moved. */
export function StepCard({
  line,
  range: [first, last],
  reach,
  hasSegmentsAbove,
  isFolded,
  canFold,
  onFold,
  isWaiting,
  hasProblem,
  isGlowing,
  edits,
  actions,
}: Props) {
  const t = useTexts(targetingTexts)
  const format = useFormat()
  const { segments, readOnlyReason } = useFlag()
  const { step, was, place, state, movedFrom } = line
  const { id } = step
  const [isDescribing, setDescribing] = useState(false)
  const {
    attributes,
    listeners,
    setNodeRef,
    setActivatorNodeRef,
    transform,
    transition,
    isDragging,
  } = useSortable({
    id,
    disabled: readOnlyReason !== undefined,
    attributes: { roleDescription: t.sortable },
    transition: { duration: reducesMotion() ? 0 : 240, easing: 'cubic-bezier(0.2, 0, 0, 1)' },
  })
  const name = nameStep(step, place, t, format)
  const isPercentage = segmentsOf(step) === undefined
  const isEmpty = segmentsOf(step)?.length === 0
  const rollout = isRollout(step) ? step : undefined
  const wasRollout = was !== undefined && isRollout(was) ? was : undefined
  const look: RuleLook = isDragging
    ? 'dragging'
    : hasProblem
      ? 'wrong'
      : state === 'removed'
        ? 'clean'
        : state

  const onKeyDown = (event: KeyboardEvent) => {
    const isMove = event.altKey && (event.key === 'ArrowUp' || event.key === 'ArrowDown')
    // In a number, Alt with an arrow is a hundredth more or less.
    if (!isMove || event.target instanceof HTMLInputElement || readOnlyReason !== undefined) return
    event.preventDefault()
    event.stopPropagation()
    actions.onMove(id, event.key === 'ArrowUp' ? -1 : 1)
  }
  const tools = (
    <StepTools
      name={name.inside}
      isFirst={place <= first}
      isLast={place >= last}
      onMove={(to) => actions.onMove(id, to)}
      onCopy={() => actions.onCopy(id)}
      onRemove={() => actions.onRemove(id)}
      onDescribe={rollout === undefined ? undefined : () => setDescribing(true)}
      share={
        rollout && {
          text: isPercentage ? t.onlyInSegment : t.onlyAShare,
          onWant: () => actions.onShare(rollout),
        }
      }
      onFold={canFold && !isFolded ? () => onFold(true) : undefined}
    />
  )
  return (
    <Stop
      ref={setNodeRef}
      node={format.number(place + 1)}
      path={isWaiting ? 'unreached' : undefined}
      data-step={id}
      className={clsx(isDragging && 'z-2')}
      style={{
        transform: CSS.Translate.toString(transform),
        ...(transition !== undefined && { transition }),
      }}
      onKeyDown={onKeyDown}
    >
      <RuleCard look={look} className={clsx('text-text', isGlowing && 'glow')}>
        <div className="flex min-h-11.5 items-start gap-x-2 py-2 ps-2 pe-3">
          <button
            {...attributes}
            {...listeners}
            ref={setActivatorNodeRef}
            type="button"
            data-grip=""
            className="grid h-7 w-6 flex-none cursor-grab touch:h-9 touch-none place-items-center rounded-1 text-faint hover:bg-hover hover:text-text active:cursor-grabbing"
            aria-label={t.grip(name.inside)}
          >
            <Icon of={GripVertical} />
          </button>
          <div className="flex min-w-0 flex-1 flex-wrap items-center gap-x-2 gap-y-1.5">
            {isFolded ? (
              <button
                type="button"
                className="flex min-h-7 min-w-0 flex-1 items-center gap-2 rounded-1 text-start text-13 hover:underline touch:min-h-9"
                aria-expanded={false}
                aria-label={`${t.unfold(name.inside)}: ${sayStep(step, t, format, segments.nameOf)}`}
                onClick={() => onFold(false)}
              >
                <span className="min-w-0 flex-1 wrap-anywhere">
                  {sayStep(step, t, format, segments.nameOf)}
                </span>
                <Icon of={ChevronDown} small className="flex-none text-muted" />
              </button>
            ) : (
              <span className="flex min-w-0 flex-auto flex-wrap items-center gap-x-2 gap-y-1.5">
                {isPercentage && rollout !== undefined && reach !== undefined ? (
                  <PercentageWords
                    rollout={rollout}
                    was={wasRollout}
                    name={name.inside}
                    reach={reach}
                    hasSegmentsAbove={hasSegmentsAbove}
                    edits={edits}
                  />
                ) : (
                  <SegmentsField
                    step={step}
                    name={name.inside}
                    fresh={state === 'added' ? none : newSegmentsOf(step, was)}
                    edits={edits}
                  />
                )}
              </span>
            )}
            <span className="ms-auto flex items-center gap-2">
              {!isFolded && (
                <>
                  {movedFrom !== undefined && (
                    <Badge look="draft">{t.movedFrom(format.number(movedFrom + 1))}</Badge>
                  )}
                  {state === 'added' && <Badge look="draft">{t.added}</Badge>}
                  <ServeArrow />
                  {isRollout(step) ? (
                    <RolloutServes step={step} name={name.inside} edits={edits} />
                  ) : (
                    <RuleServes step={step} name={name.inside} edits={edits} />
                  )}
                </>
              )}
              {isWaiting && <span className="text-12 text-muted">{t.waits}</span>}
              {tools}
            </span>
          </div>
        </div>
        {!isFolded && (
          <>
            {isEmpty && (
              <p className="flex gap-1.5 px-4 pb-3 text-12 text-danger" role="status">
                <Icon of={TriangleAlert} small className="mt-0.5 flex-none" />
                {t.noSegment}
              </p>
            )}
            {rollout !== undefined && reach !== undefined && (
              <div className="px-4 pt-1 pb-2 last:pb-3">
                <PercentageRuler
                  rollout={rollout}
                  was={wasRollout}
                  name={name.inside}
                  reach={reach}
                  isLast={place >= last}
                  edits={edits}
                />
              </div>
            )}
            {!isRollout(step) && onlyVariantOf(step) === undefined && (
              <SplitEditor rule={step} name={name.inside} edits={edits} />
            )}
            {rollout !== undefined && (
              <StepMeta
                rollout={rollout}
                name={name.inside}
                reach={reach}
                isDescribing={isDescribing}
                onDescribed={() => setDescribing(false)}
                edits={edits}
              />
            )}
          </>
        )}
      </RuleCard>
    </Stop>
  )
}

const none: ReadonlySet<string> = new Set()

function reducesMotion(): boolean {
  return matchMedia('(prefers-reduced-motion: reduce)').matches
}
