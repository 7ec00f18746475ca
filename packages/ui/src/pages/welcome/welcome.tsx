import type { Explanation } from '@svc/client/api'
import { useQuery } from '@tanstack/react-query'
import { useEffect, useRef, useState } from 'react'
import { Crumbs } from '../../app/crumbs.tsx'
import { useShownNamespace } from '../../app/namespace.ts'
import { PageError } from '../../app/page-error.tsx'
import { useTitle } from '../../app/title.ts'
import type { NewSecret } from '../../app/token-code/new-secret.tsx'
import { Page } from '../../components/page.tsx'
import { Rail } from '../../components/rail.tsx'
import { Bone, Waiting } from '../../components/skeleton.tsx'
import { failureOf } from '../../data/errors.ts'
import { flagsQuery, viewerQuery } from '../../data/queries.ts'
import { createStore, useStore } from '../../data/store.ts'
import { tokensQuery } from '../../data/tokens.ts'
import { useTexts } from '../../text/texts.ts'
import { After } from './after.tsx'
import { AnswerStep, CodeStep, FlagStep, TokenStep } from './parts.tsx'
import { appTokens, stepsOf } from './steps.ts'
import { welcomeTexts } from './texts.ts'

/** The last answer that was asked for here, until the page is closed. */
const lastAnswer = createStore<Explanation | undefined>(undefined)

/** How often is looked for what was done elsewhere, in milliseconds. */
const lookMs = 10_000

export function WelcomePage() {
  const t = useTexts(welcomeTexts)
  useTitle(t.title)
  const namespace = useShownNamespace()
  return (
    <>
      <Crumbs
        path={[
          ...(namespace === undefined
            ? []
            : [{ text: namespace.name || namespace.key, to: `/ns/${namespace.key}/flags` }]),
          { text: t.title },
        ]}
      />
      <Page isForm>
        <div className="mt-4 mb-8 grid gap-2">
          <h1 tabIndex={-1} className="text-32! leading-tight tracking-[-0.03em]">
            {t.heading}
          </h1>
          <p className="text-16 text-muted">{t.lead}</p>
        </div>
        {namespace !== undefined && (
          <FirstSteps
            key={namespace.key}
            namespaceKey={namespace.key}
            namespaceName={namespace.name || namespace.key}
          />
        )}
      </Page>
    </>
  )
}

interface Props {
  readonly namespaceKey: string
  readonly namespaceName: string
}

function FirstSteps({ namespaceKey, namespaceName }: Props) {
  const t = useTexts(welcomeTexts)
  const [made, setMade] = useState<NewSecret>()
  const answer = useStore(lastAnswer)
  const { data: viewer } = useQuery(viewerQuery)
  const flags = useQuery({
    ...flagsQuery({ namespaceKey, limit: 1, sort: '-createdAt' }),
    refetchInterval: ({ state }) => (state.data?.flags.length === 0 ? lookMs : false),
  })
  const hasSession = viewer?.kind === 'session'
  const tokens = useQuery({
    ...tokensQuery(),
    enabled: hasSession,
    retry: false,
    refetchInterval: ({ state }) => (state.error === null ? lookMs : false),
  })
  const flag = flags.data?.flags[0]
  const shownAnswer =
    answer !== undefined && answer.namespaceKey === namespaceKey && answer.flagKey === flag?.key
      ? answer
      : undefined
  const all = tokens.data?.tokens ?? []
  const own = appTokens(all, namespaceKey, tokens.dataUpdatedAt)
  const canMakeTokens =
    hasSession && !(tokens.isError && failureOf(tokens.error).kind === 'forbidden')
  const { done, current } = stepsOf({
    hasFlag: flag !== undefined,
    hasAsked: shownAnswer !== undefined,
    tokens: own,
  })
  const isRead = !flags.isPending && !(tokens.isPending && hasSession)
  const list = useFocusOnNext(isRead ? current : undefined)
  const stateOf = (place: number) =>
    done[place] === true ? 'done' : place === current ? 'current' : 'later'

  if (flags.isError && flags.data === undefined)
    return <PageError isPage={false} error={flags.error} reset={() => void flags.refetch()} />
  if (!isRead)
    return (
      <Waiting>
        <div className="grid gap-6 ps-10">
          <Bone width="w-64" />
          <Bone width="w-52" />
          <Bone width="w-72" />
        </div>
      </Waiting>
    )
  return (
    <>
      <Rail label={t.steps} ref={list}>
        <FlagStep state={stateOf(0)} namespaceKey={namespaceKey} flag={flag} />
        <AnswerStep
          state={stateOf(1)}
          namespaceKey={namespaceKey}
          flag={flag}
          answer={shownAnswer}
          onAnswer={lastAnswer.set}
        />
        <TokenStep
          state={stateOf(2)}
          namespaceKey={namespaceKey}
          namespaceName={namespaceName}
          token={own[0]}
          canMake={canMakeTokens}
          onMade={setMade}
        />
        <CodeStep
          state={stateOf(3)}
          namespaceKey={namespaceKey}
          flag={flag}
          hasToken={own.length > 0}
          made={made}
          used={own.find(({ use }) => use !== undefined)}
        />
      </Rail>
      <After
        namespaceKey={namespaceKey}
        flag={flag}
        tokens={all}
        now={tokens.dataUpdatedAt}
        isDone={current === done.length}
      />
    </>
  )
}

/**
 * When a step is done, its button is gone: the focus goes on to the next one.
 *
 * @param current nothing until it is known
 */
function useFocusOnNext(current: number | undefined) {
  const list = useRef<HTMLOListElement>(null)
  const known = useRef(current)
  useEffect(() => {
    const before = known.current
    known.current = current
    if (before === undefined || before === current) return
    // Done elsewhere: the focus stays where the reader has it.
    if (document.activeElement !== document.body && !list.current?.contains(document.activeElement))
      return
    list.current?.querySelector<HTMLElement>('[data-step=current] :is(input, button, pre)')?.focus()
  }, [current])
  return list
}
