import type { FlagDocument } from '@svc/client/api'
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useDeferredValue, useEffect, useMemo, useState } from 'react'
import { buttonClass } from '../components/button.tsx'
import { Card } from '../components/card.tsx'
import { Code } from '../components/code.tsx'
import { formatJson } from '../components/json-editor/json.ts'
import { Note } from '../components/note.tsx'
import { Bone, Waiting } from '../components/skeleton.tsx'
import { messageOf } from '../data/errors.ts'
import { segmentsQuery } from '../data/queries.ts'
import { useTexts } from '../text/texts.ts'
import { isQuestion, keep, type Question, readKept } from './asked.ts'
import { addProperty, readContext } from './context.ts'
import { ContextField } from './context-field.tsx'
import { EntityField } from './entity-field.tsx'
import { ExplanationView } from './explanation-view.tsx'
import { missingProperties } from './sentences.ts'
import { explainTexts } from './texts.ts'
import { useDraftExplanation } from './use-draft-explanation.ts'
import { useFresh } from './use-fresh.ts'

interface Props {
  readonly namespaceKey: string
  /** As it is being edited. */
  readonly flag: FlagDocument
  /** Leads to a rule or rollout on the page, by its place from 1. */
  readonly onSelectRule?: (place: number) => void
}

/** The flag itself is the draft. */
const segmentKinds = ['segment', 'segments']

const first: Question = { entityId: 'user-42', context: '' }

/** Asks a flag while it is edited: what it would answer once the draft is saved, and why. */
export function TryIt({ namespaceKey, flag, onSelectRule }: Props) {
  const t = useTexts(explainTexts)
  const name = `svc.asked ${namespaceKey} ${flag.key}`
  const [question, setQuestion] = useState<Question>(() => readKept(name, isQuestion) ?? first)
  useEffect(() => keep(name, question), [name, question])
  const { entityId, context } = question
  const asked = useMemo(() => readContext(context), [context])
  // Typing comes first.
  const deferred = useDeferredValue(
    useMemo(() => ({ flag, entityId, asked: asked ?? {} }), [flag, entityId, asked]),
  )
  const answer = useDraftExplanation(namespaceKey, deferred.flag, deferred.entityId, deferred.asked)
  useFresh(namespaceKey, segmentKinds)
  const { data: list } = useQuery(segmentsQuery(namespaceKey))
  const segmentNames = useMemo(
    () => new Map(list?.segments.map(({ key, name }) => [key, name])),
    [list],
  )
  const explanation = answer.state === 'explained' ? answer.explanation : undefined
  const preset = deferred.flag.variants.find((variant) => variant.default)?.key
  const attachment = explanation?.variant?.variantAttachment ?? ''
  return (
    <Card
      aria-label={t.tryIt}
      title={t.tryIt}
      actions={
        <Link
          to="/ns/$namespaceKey/console"
          params={{ namespaceKey }}
          search={{
            flag: flag.key,
            ...(entityId !== '' && { entity: entityId }),
            ...(context !== '' && { context }),
          }}
          className={buttonClass({ size: 'small' })}
        >
          {t.openConsole}
        </Link>
      }
    >
      <div className="grid grid-cols-[minmax(0,1fr)] gap-4">
        <EntityField
          value={entityId}
          onChange={(entityId) => setQuestion((now) => ({ ...now, entityId }))}
        />
        <ContextField
          value={context}
          rows={4}
          missing={explanation ? missingProperties(explanation) : []}
          onChange={(context) => setQuestion((now) => ({ ...now, context }))}
        />
        <div className="grid grid-cols-[minmax(0,1fr)] gap-3 border-t border-line pt-4">
          {answer.state === 'loading' && (
            <Waiting>
              <div className="grid gap-3">
                <Bone width="w-48" />
                <Bone width="w-full" className="h-11!" />
                <Bone width="w-full" className="h-11!" />
              </div>
            </Waiting>
          )}
          {answer.state === 'failed' && (
            <Note kind="failure">{`${t.notLoaded} ${messageOf(answer.error)}`}</Note>
          )}
          {answer.state === 'too-long' && <Note kind="attention">{t.tooLong}</Note>}
          {answer.state === 'wrong' && (
            <Note kind="attention">{t.cannotExplain(answer.reason)}</Note>
          )}
          {explanation !== undefined && (
            <ExplanationView
              explanation={explanation}
              isFolded
              start={
                <span className="min-w-0 truncate">
                  {deferred.entityId === '' ? t.noEntityName : <code>{deferred.entityId}</code>}
                </span>
              }
              segmentNames={segmentNames}
              variants={deferred.flag.variants.map(({ key }) => key)}
              preset={preset}
              onAdd={(property) =>
                setQuestion((now) => ({ ...now, context: addProperty(now.context, property) }))
              }
              segmentLink={(segmentKey, children) => (
                <Link
                  to="/ns/$namespaceKey/segments/$segmentKey"
                  params={{ namespaceKey, segmentKey }}
                  className="hover:underline"
                >
                  {children}
                </Link>
              )}
              {...(onSelectRule && {
                stepLink: (place, children) => (
                  <button
                    type="button"
                    className="min-h-6 font-medium hover:underline"
                    onClick={() => onSelectRule(place)}
                  >
                    {children}
                  </button>
                ),
              })}
            />
          )}
          {attachment !== '' && (
            <Code text={formatJson(attachment)} label={t.attachment} className="[&_pre]:max-h-48" />
          )}
        </div>
      </div>
    </Card>
  )
}
