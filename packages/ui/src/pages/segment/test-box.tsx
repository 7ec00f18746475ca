import type { SegmentDocument } from '@svc/client/api'
import clsx from 'clsx'
import { Check, X } from 'lucide-react'
import { useEffect, useState } from 'react'
import { Card } from '../../components/card.tsx'
import { Field } from '../../components/field.tsx'
import { Icon } from '../../components/icon.tsx'
import { Note } from '../../components/note.tsx'
import { TextArea, TextInput } from '../../components/text-input.tsx'
import { plain, sentenceOf } from '../../constraints/sentence.ts'
import { constraintTexts } from '../../constraints/texts.ts'
import { useFormat, useTexts } from '../../text/texts.ts'
import { readContext } from './context.ts'
import type { SegmentFinding } from './evaluate.ts'
import { segmentTexts } from './texts.ts'

type Evaluate = typeof import('./evaluate.ts')['evaluateSegment']

/** Whether an entity is in the segment, constraint by constraint: what the service would say of the draft. */
export function TestBox({ segment }: { readonly segment: SegmentDocument }) {
  const t = useTexts(segmentTexts)
  const { number } = useFormat()
  const [entityId, setEntityId] = useState('')
  const [text, setText] = useState('')
  const [evaluate, setEvaluate] = useState<Evaluate | 'failed'>()
  useEffect(() => {
    import('./evaluate.ts').then(
      ({ evaluateSegment }) => setEvaluate(() => evaluateSegment),
      () => setEvaluate('failed'),
    )
  }, [])
  const read = readContext(text)
  const isRead = 'context' in read
  const finding =
    isRead && typeof evaluate === 'function' ? evaluate(segment, entityId, read.context) : undefined
  const error = isRead
    ? undefined
    : read.wrongLine === undefined
      ? t.noJson
      : t.wrongLine(number(read.wrongLine))
  return (
    <Card title={t.whoIsInIt} aria-label={t.whoIsInIt}>
      <div className="grid gap-4">
        <Field label={t.entity}>
          {(ids) => (
            <TextInput
              {...ids}
              isMono
              value={entityId}
              placeholder={t.entityHint}
              autoComplete="off"
              spellCheck={false}
              autoCapitalize="off"
              onChange={({ target }) => setEntityId(target.value)}
            />
          )}
        </Field>
        <Field label={t.context} help={t.contextHelp} error={error}>
          {(ids) => (
            <TextArea
              {...ids}
              isMono
              rows={4}
              value={text}
              placeholder={exampleOf(segment)}
              spellCheck={false}
              autoCapitalize="off"
              onChange={({ target }) => setText(target.value)}
            />
          )}
        </Field>
        {evaluate === 'failed' && <Note kind="failure">{t.testFailed}</Note>}
        <div role="status" className="border-t border-line pt-3 empty:hidden">
          {finding !== undefined && <Finding finding={finding} segment={segment} />}
        </div>
      </div>
    </Card>
  )
}

function Finding({
  finding: { member, constraints },
  segment,
}: {
  readonly finding: SegmentFinding
  readonly segment: SegmentDocument
}) {
  const t = useTexts(segmentTexts)
  const words = useTexts(constraintTexts)
  const format = useFormat()
  const holding = constraints.filter(({ holds }) => holds).length
  return (
    <>
      <p className="mb-1.5 flex items-baseline gap-2">
        <b className={clsx('flex-1 font-medium', member && 'text-on')}>
          {member ? t.isIn : t.isNotIn}
        </b>
        <span className="text-12 text-muted">
          {constraints.length > 0 &&
            t.matching(format.number(holding), format.number(constraints.length))}
        </span>
      </p>
      <ul className="text-12">
        {constraints.map(({ holds, actual, cause }, place) => {
          const constraint = segment.constraints[place]
          if (constraint === undefined || constraint.property === '') return null
          return (
            <li key={constraint.id} className="flex items-start gap-2 py-1">
              <span
                role="img"
                aria-label={holds ? t.matches : t.notMatches}
                className={clsx('flex-none pt-px', holds ? 'text-on' : 'text-muted')}
              >
                <Icon of={holds ? Check : X} small />
              </span>
              <span className="min-w-0 flex-1 wrap-anywhere">
                {plain(sentenceOf(constraint, words, format))}
              </span>
              <span className="max-w-28 text-end font-mono text-11 wrap-anywhere text-muted">
                {cause === 'UNREADABLE_ACTUAL_CAUSE'
                  ? t.unreadable(actual ?? '')
                  : (actual ?? t.missingActual)}
              </span>
            </li>
          )
        })}
      </ul>
    </>
  )
}

/** Lines to begin with: the properties that the segment asks about. */
function exampleOf({ constraints }: SegmentDocument): string {
  const names = constraints
    .filter(({ type }) => type !== 'ENTITY_ID_COMPARISON_TYPE')
    .map(({ property }) => property)
  return [...new Set(names)].map((name) => `${name} = …`).join('\n')
}
