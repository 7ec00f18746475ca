import { useQuery } from '@tanstack/react-query'
import { useNavigate, useSearch } from '@tanstack/react-router'
import { useMemo, useRef, useState } from 'react'
import { Crumbs } from '../../app/crumbs.tsx'
import { usePageNamespace } from '../../app/namespace.ts'
import { useTitle } from '../../app/title.ts'
import { Empty, EmptyRail } from '../../components/empty.tsx'
import { Page, PageHead } from '../../components/page.tsx'
import { segmentsQuery } from '../../data/queries.ts'
import { areQuestions, keep, type Question, readKept, withRecent } from '../../explain/asked.ts'
import { addProperty, readContext } from '../../explain/context.ts'
import { missingProperties } from '../../explain/sentences.ts'
import { useFresh } from '../../explain/use-fresh.ts'
import { useTexts } from '../../text/texts.ts'
import { Answer } from './answer.tsx'
import { explainQuery } from './asking.ts'
import { EveryFlag } from './every-flag.tsx'
import { NoFlags } from './no-flags.tsx'
import { type Draft, QuestionForm } from './question-form.tsx'
import { RecentQuestions } from './recent.tsx'
import type { ConsoleSearch } from './search.ts'
import { consoleTexts } from './texts.ts'

const from = '/inside/ns/$namespaceKey/console'

/** What an answer rests on, and its own queries. */
const answerKinds = ['explanation', 'evaluations', 'flag', 'segments']

/** Whom a flag is asked for at first. */
const firstEntity = 'user-42'

export function ConsolePage() {
  const t = useTexts(consoleTexts)
  const namespace = usePageNamespace()
  const search = useSearch({ from })
  const navigate = useNavigate({ from: '/ns/$namespaceKey/console' })
  const asked = useMemo(() => readAsked(search), [search])
  useFresh(namespace.key, answerKinds)
  useTitle(...(asked.flag === undefined ? [] : [asked.flag]), t.title, namespace.name)
  const keptName = `svc.asked ${namespace.key}`
  const [recent, setRecent] = useState(() => readKept(keptName, areQuestions) ?? [])
  const { data: list } = useQuery(segmentsQuery(namespace.key))
  const segmentNames = useMemo(
    () => new Map(list?.segments.map(({ key, name }) => [key, name])),
    [list],
  )
  const context = useMemo(() => readContext(asked.context), [asked])
  const { flag, entityId } = asked
  const answerPlace = useRef<HTMLDivElement>(null)
  const { data: answer } = useQuery({
    ...explainQuery(namespace.key, flag ?? '', entityId, context ?? {}),
    enabled: flag !== undefined && !asked.isAll && context !== undefined,
  })

  const ask = ({ flag, entityId, context, isAll }: Draft) => {
    const question: Question = { entityId, context }
    const next = withRecent(recent, question)
    setRecent(next)
    keep(keptName, next)
    const nextSearch: ConsoleSearch = {
      ...(flag !== undefined && { flag }),
      entity: entityId,
      ...(context !== '' && { context }),
      ...(isAll && { all: true as const }),
    }
    void navigate({ search: nextSearch, replace: isSame(nextSearch, search) }).then(() => {
      // In one column it is below the question.
      if (matchMedia('(width < 68.8125rem)').matches) answerPlace.current?.scrollIntoView()
    })
  }
  return (
    <>
      <Crumbs
        path={[{ text: namespace.name, to: `/ns/${namespace.key}/flags` }, { text: t.title }]}
        live={namespace.key}
      />
      <Page>
        <PageHead title={t.title} lead={<span className="text-13">{t.lead}</span>} />
        <div className="grid grid-cols-[minmax(0,1fr)] gap-x-10 gap-y-8 xl:grid-cols-[23rem_minmax(0,1fr)] xl:grid-rows-[auto_1fr]">
          <QuestionForm
            key={namespace.key}
            namespaceKey={namespace.key}
            asked={asked}
            missing={answer ? missingProperties(answer.explanation) : []}
            onAsk={ask}
          />
          <div ref={answerPlace} className="min-w-0 scroll-mt-16 xl:row-span-2">
            {context === undefined ? null : asked.isAll ? (
              <EveryFlag
                namespace={namespace}
                search={search}
                entityId={entityId}
                context={context}
                segmentNames={segmentNames}
              />
            ) : flag !== undefined ? (
              <Answer
                namespace={namespace}
                flag={flag}
                entityId={entityId}
                context={context}
                segmentNames={segmentNames}
                onAdd={(property) =>
                  ask({ ...asked, context: addProperty(asked.context, property) })
                }
              />
            ) : namespace.flagCount === 0 ? (
              <NoFlags namespace={namespace} />
            ) : (
              <Empty title={t.chooseFirst} picture={<EmptyRail />}>
                {t.chooseFirstText}
              </Empty>
            )}
          </div>
          <RecentQuestions
            recent={recent}
            onChoose={(question) => ask({ ...asked, ...question })}
          />
        </div>
      </Page>
    </>
  )
}

function readAsked({ flag, entity = firstEntity, context = '', all }: ConsoleSearch): Draft {
  return { flag, entityId: entity, context, isAll: all === true }
}

function isSame(one: ConsoleSearch, other: ConsoleSearch): boolean {
  return JSON.stringify(readAsked(one)) === JSON.stringify(readAsked(other))
}
