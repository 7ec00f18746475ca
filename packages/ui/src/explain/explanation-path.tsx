import type { Step } from '@svc/client/api'
import { Minus } from 'lucide-react'
import { Icon } from '../components/icon.tsx'
import { Path, PathStop } from '../components/path.tsx'
import {
  isBoolean,
  isDisabled,
  passedText,
  questionText,
  stateOf,
  type Words,
} from './sentences.ts'
import { type ExplanationProps, Served } from './shown.tsx'
import { StepFindings } from './step-findings.tsx'

interface Props extends ExplanationProps {
  readonly words: Words
}

/** Each rule or rollout as a stop, with what was found there. */
export function ExplanationPath(props: Props) {
  const { explanation, start, words } = props
  const { t } = words
  return (
    <Path label={t.path} start={start}>
      {isDisabled(explanation) && <DisabledStop {...props} />}
      {explanation.steps.map((step) => (
        <StepStop key={step.place} {...props} step={step} />
      ))}
      {!isDisabled(explanation) && <EndStop {...props} />}
    </Path>
  )
}

function StepStop({ step, ...props }: Props & { readonly step: Step }) {
  const { explanation, words, stepLink, isFolded = false } = props
  const { t, format } = words
  const state = stateOf(step, explanation)
  const question = questionText(step, explanation, words)
  const end =
    state === 'hit' ? (
      <Served {...props} />
    ) : (
      <span className="text-12 text-muted">
        {state === 'unreached' ? t.notReached : passedText(step, words)}
      </span>
    )
  const hasFindings = step.segments.length > 0 || step.bucket !== undefined
  // What was not reached has decided nothing; it is there for those who ask.
  const isShut = state === 'unreached' || (isFolded && state === 'passed')
  return (
    <PathStop
      node={format.number(step.place)}
      state={state}
      title={stepLink?.(step.place, question) ?? <b className="font-medium">{question}</b>}
      end={end}
    >
      {!hasFindings ? undefined : isShut ? (
        <details className="group">
          <summary className="cursor-pointer px-4 py-1.5 text-muted hover:text-text">
            {t.details}
          </summary>
          <StepFindings {...props} step={step} />
        </details>
      ) : (
        <StepFindings {...props} step={step} />
      )}
    </PathStop>
  )
}

/** What those get for whom no rule or rollout answers. */
function EndStop(props: Props) {
  const { explanation, words, preset } = props
  const { t } = words
  const isHit = explanation.decidedBy === 0
  const own = explanation.enabled ? words.on : words.off
  const title = isBoolean(explanation)
    ? t.everyoneElse(own)
    : preset === undefined
      ? t.everyoneElseNothing
      : t.everyoneElseDefault(preset)
  return (
    <PathStop
      node={isHit ? '' : <Icon of={Minus} small />}
      state={isHit ? 'hit' : 'unreached'}
      title={title}
      end={isHit ? <Served {...props} /> : <span className="text-12">{t.notReached}</span>}
    />
  )
}

function DisabledStop(props: Props) {
  const { preset, words } = props
  const { t } = words
  return (
    <PathStop
      node=""
      state="hit"
      title={preset === undefined ? t.everyoneGetsNothing : t.everyoneGets(preset)}
      end={<Served {...props} />}
    />
  )
}
