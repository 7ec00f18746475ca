import type { RolloutDocument } from '@svc/client/api'
import { useLocation } from '@tanstack/react-router'
import { lazy, Suspense, useEffect, useRef, useState } from 'react'
import { Button } from '../../../components/button.tsx'
import { Note } from '../../../components/note.tsx'
import { Rail, StartStop } from '../../../components/rail.tsx'
import { stopOf } from '../../../data/stop.ts'
import { reachOf } from '../../../review/reach.ts'
import { Rich } from '../../../text/rich.tsx'
import { useFormat, useTexts } from '../../../text/texts.ts'
import { useFlag } from '../here.ts'
import { AddSteps } from './add-steps.tsx'
import { linesOf, problemsOf } from './changes.ts'
import { DraftControls } from './draft-controls.tsx'
import { useEdits } from './edits.ts'
import { ElseStop } from './else-stop.tsx'
import { Ghost } from './ghost.tsx'
import { nameStep } from './sentences.ts'
import { defaultOf } from './split.ts'
import { Starters } from './starters.tsx'
import { StepCard } from './step-card.tsx'
import {
  copyStep,
  isBoolean,
  moveStep,
  removeStep,
  restoreStep,
  segmentsOf,
  setEnabled,
  stepsOf,
} from './steps.ts'
import { StepsList } from './steps-list.tsx'
import { StoppedStop } from './stopped.tsx'
import { targetingTexts } from './texts.ts'
import { UseIt } from './use-it.tsx'

const TryIt = lazy(async () => ({ default: (await import('../../../explain/try-it.tsx')).TryIt }))
const ShareOfSegment = lazy(() => import('./share-of-segment.tsx'))

/** With more of them, all are folded to a line. */
const maxOpen = 8

export function TargetingPage() {
  const t = useTexts(targetingTexts)
  const format = useFormat()
  const { namespace, flag, draft, segments, glowing, doAtOnce } = useFlag()
  const edits = useEdits()
  const rail = useRef<HTMLOListElement>(null)
  const focusNext = useRef<string>(undefined)
  const [said, setSaid] = useState('')
  const [folds, setFolds] = useState<ReadonlyMap<string, boolean>>(new Map())
  const [wanted, setWanted] = useState<{ readonly rollout: RolloutDocument | undefined }>()
  const { base, present } = draft.draft
  const lines = linesOf(base, present)
  const steps = stepsOf(present)
  const stop = stopOf(present)
  const stopPlace = stop === undefined ? -1 : steps.indexOf(stop)
  const isStopped = stopPlace === 0
  const isOff = !isBoolean(present) && !present.enabled
  const reach = reachOf(
    present.rollouts.filter((rollout) => rollout !== stop),
    segments.isForEveryone,
  )
  const problems = new Set(problemsOf(present).map(({ id }) => id))
  const [firstPlace, lastPlace] = [isStopped ? 1 : 0, steps.length - 1]

  // After a move by key or press, React has moved the element and taken its focus.
  useEffect(() => {
    if (focusNext.current === undefined) return
    rail.current?.querySelector<HTMLElement>(focusNext.current)?.focus()
    focusNext.current = undefined
  })

  const selectRule = (place: number) => {
    const step = steps[place - 1]
    const card = rail.current?.querySelector<HTMLElement>(`[data-step="${step?.id}"]`)
    card?.scrollIntoView({ block: 'center' })
    card?.querySelector<HTMLElement>('button')?.focus()
  }
  // An answer of the console leads to one of them, once the page has taken the focus to its heading.
  const { hash } = useLocation()
  useEffect(() => {
    const place = Number(/^rule-(\d+)$/.exec(hash)?.[1])
    const timer = place > 0 ? setTimeout(() => selectRule(place), 100) : undefined
    return () => clearTimeout(timer)
  }, [hash])

  const move = (id: string, to: number) => {
    const place = Math.max(firstPlace, Math.min(to, lastPlace))
    const from = steps.findIndex((step) => step.id === id)
    const step = steps[from]
    if (step === undefined || from === place) return
    edits.edit((flag) => moveStep(flag, id, place))
    const { first } = nameStep(step, from, t, format)
    setSaid(t.nowAt(first, format.number(place + 1), format.number(steps.length)))
  }
  const actions = {
    onMove(id: string, to: 'top' | 1 | -1) {
      const place = steps.findIndex((step) => step.id === id)
      focusNext.current = `[data-step="${id}"] [data-grip]`
      move(id, to === 'top' ? firstPlace : place + to)
    },
    onCopy: (id: string) => edits.edit((flag) => copyStep(flag, id)),
    onRemove(id: string) {
      const place = steps.findIndex((step) => step.id === id)
      const next = steps[place + 1] ?? steps[place - 1]
      const hasGhost = stepsOf(base).some((step) => step.id === id)
      if (hasGhost) focusNext.current = `[data-ghost="${id}"] button`
      else if (next !== undefined) focusNext.current = `[data-step="${next.id}"] [data-grip]`
      edits.edit((flag) => removeStep(flag, id))
    },
    onShare: (rollout: RolloutDocument) => setWanted({ rollout }),
  }
  const isFoldable = lines.length > maxOpen
  const isFolded = (id: string, isNew: boolean) =>
    folds.get(id) ?? (isStopped || (isFoldable && !isNew))
  const other = defaultOf(present)
  return (
    <div className="grid items-start gap-x-8 gap-y-6 xl:grid-cols-[minmax(0,1fr)_20rem]">
      <h2 className="sr-only">{t.title}</h2>
      <div className="min-w-0">
        {isOff && (
          <div className="mb-4">
            <Note
              kind={flag.enabled ? 'attention' : 'fact'}
              action={
                flag.enabled && (
                  <Button size="small" onClick={() => edits.edit((flag) => setEnabled(flag, true))}>
                    {t.keepEnabled}
                  </Button>
                )
              }
            >
              <Rich
                text={
                  flag.enabled
                    ? other === undefined
                      ? t.willDisableCode
                      : t.willDisable(other)
                    : other === undefined
                      ? t.isDisabledCode
                      : t.isDisabled(other)
                }
              />
            </Note>
          </div>
        )}
        <StepsList
          ids={steps.filter((step) => step !== stop).map(({ id }) => id)}
          steps={steps}
          onMove={move}
        >
          <Rail label={t.rail} ref={rail}>
            <StartStop>
              <span className="wrap-anywhere">
                {t.everyRequest} <code className="font-mono text-12 text-text">{flag.key}</code>.{' '}
                {steps.length === 0
                  ? isBoolean(present)
                    ? t.noRolloutYet
                    : t.noRuleYet
                  : isBoolean(present)
                    ? t.firstRollout
                    : t.firstRule}
              </span>
            </StartStop>
            {lines.length === 0 && <Starters edits={edits} />}
            {lines.map(({ place, ...line }) => {
              const { step, state } = line
              if (place === undefined) {
                return (
                  <Ghost
                    key={step.id}
                    step={step}
                    onRestore={() => {
                      focusNext.current = `[data-step="${step.id}"] [data-grip]`
                      edits.edit((flag) => restoreStep(flag, base, step.id))
                    }}
                  />
                )
              }
              if (step === stop)
                return (
                  <StoppedStop key={step.id} id={step.id} onResume={() => doAtOnce('resume')} />
                )
              return (
                <StepCard
                  key={step.id}
                  line={{ ...line, place }}
                  range={[firstPlace, lastPlace]}
                  reach={reach.get(step.id)}
                  hasSegmentsAbove={steps
                    .slice(0, place)
                    .some((one) => segmentsOf(one) !== undefined)}
                  isFolded={isFolded(step.id, state === 'added' || problems.has(step.id))}
                  canFold={isFoldable || isStopped}
                  onFold={(isFolded) => setFolds(new Map(folds).set(step.id, isFolded))}
                  isWaiting={stopPlace !== -1 && stopPlace < place}
                  hasProblem={problems.has(step.id)}
                  isGlowing={glowing.has(step.id)}
                  edits={edits}
                  actions={actions}
                />
              )
            })}
            <ElseStop edits={edits} isWaiting={stopPlace !== -1} />
          </Rail>
        </StepsList>
        <span role="status" className="sr-only">
          {said}
        </span>
        <AddSteps edits={edits} onShare={() => setWanted({ rollout: undefined })} />
        <DraftControls edits={edits} />
      </div>
      <aside aria-label={t.aside} className="grid min-w-0 gap-4">
        {stepsOf(flag).length === 0 && <UseIt />}
        <Suspense fallback={null}>
          <TryIt namespaceKey={namespace.key} flag={present} onSelectRule={selectRule} />
        </Suspense>
      </aside>
      <Suspense fallback={null}>
        {wanted !== undefined && (
          <ShareOfSegment rollout={wanted.rollout} onClose={() => setWanted(undefined)} />
        )}
      </Suspense>
    </div>
  )
}
