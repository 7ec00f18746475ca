import type { Explanation, Flag } from '@svc/client/api'
import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import type { NewSecret } from '../../app/token-code/new-secret.tsx'
import { FirstUse } from '../../app/token-code/new-secret.tsx'
import { TokenCode } from '../../app/token-code/token-code.tsx'
import { Button } from '../../components/button.tsx'
import { link } from '../../components/classes.ts'
import { CopyButton } from '../../components/copy-key.tsx'
import { Time } from '../../components/time.tsx'
import type { Token } from '../../data/token.ts'
import { useFormat, useTexts } from '../../text/texts.ts'
import { AskForFlag } from './ask.tsx'
import { MakeFlag } from './make-flag.tsx'
import { MakeToken } from './make-token.tsx'
import { answerOf } from './reason.ts'
import { Step } from './step.tsx'
import { type WelcomeTexts, welcomeTexts } from './texts.ts'

type State = 'done' | 'current' | 'later'

interface FlagStepProps {
  readonly state: State
  readonly namespaceKey: string
  readonly flag: Flag | undefined
}

export function FlagStep({ state, namespaceKey, flag }: FlagStepProps) {
  const t = useTexts(welcomeTexts)
  if (flag === undefined)
    return (
      <Step place={1} state={state} title={t.makeFlag}>
        {state === 'current' && <MakeFlag namespaceKey={namespaceKey} />}
      </Step>
    )
  return (
    <Step
      place={1}
      state={state}
      title={
        <>
          {t.madeFlag} <code className="wrap-anywhere">{flag.key}</code>
        </>
      }
      end={<Time at={flag.createdAt} />}
    >
      <p className="text-13 text-muted">
        <Link
          to="/ns/$namespaceKey/flags/$flagKey"
          params={{ namespaceKey, flagKey: flag.key }}
          className={link}
        >
          {flag.name || flag.key}
        </Link>
        {' · '}
        {flag.type === 'BOOLEAN_FLAG_TYPE' ? t.yesNo : t.several}
      </p>
    </Step>
  )
}

interface AnswerStepProps {
  readonly state: State
  readonly namespaceKey: string
  readonly flag: Flag | undefined
  readonly answer: Explanation | undefined
  readonly onAnswer: (answer: Explanation) => void
}

export function AnswerStep({ state, namespaceKey, flag, answer, onAnswer }: AnswerStepProps) {
  const t = useTexts(welcomeTexts)
  const { number } = useFormat()
  const [isAgain, setAgain] = useState(false)
  if (flag === undefined || state === 'later') return <Step place={2} state={state} title={t.ask} />
  const form = (
    <AskForFlag
      flag={flag}
      namespaceKey={namespaceKey}
      onAnswer={(answer) => {
        setAgain(false)
        onAnswer(answer)
      }}
    />
  )
  if (state === 'current')
    return (
      <Step place={2} state={state} title={t.ask}>
        {form}
      </Step>
    )
  return (
    <Step
      place={2}
      state={state}
      title={answer === undefined ? t.askedElsewhere : gotOf(answer, t)}
    >
      <div className="flex flex-wrap items-center gap-x-4 gap-y-1 text-13 text-muted">
        {answer !== undefined && (
          <>
            <span role="status">{whyOf(answer, t, number)}</span>
            <Link
              to="/ns/$namespaceKey/console"
              params={{ namespaceKey }}
              search={{ flag: flag.key, entity: answer.entityId }}
              className={link}
            >
              {t.seeWhy}
            </Link>
          </>
        )}
        {!isAgain && (
          <Button size="small" look="quiet" className="-mx-2" onClick={() => setAgain(true)}>
            {t.askAgain}
          </Button>
        )}
      </div>
      {isAgain && form}
    </Step>
  )
}

function gotOf(explanation: Explanation, t: WelcomeTexts): string {
  const answer = answerOf(explanation)
  if (answer.kind === 'variant') return t.gotVariant(answer.name)
  return { on: t.gotOn, off: t.gotOff, nothing: t.gotNothing }[answer.kind]
}

function whyOf(explanation: Explanation, t: WelcomeTexts, number: (place: number) => string) {
  const answer = answerOf(explanation)
  const name =
    answer.kind === 'variant'
      ? answer.name
      : { on: t.on, off: t.off, nothing: t.nothing }[answer.kind]
  return t.because[answer.why](name, number(answer.place))
}

interface TokenStepProps {
  readonly state: State
  readonly namespaceKey: string
  readonly namespaceName: string
  readonly token: Token | undefined
  readonly canMake: boolean
  readonly onMade: (made: NewSecret) => void
}

export function TokenStep({
  state,
  namespaceKey,
  namespaceName,
  token,
  canMake,
  onMade,
}: TokenStepProps) {
  const t = useTexts(welcomeTexts)
  if (token !== undefined)
    return (
      <Step
        place={3}
        state={state}
        title={
          <>
            {t.madeToken} <span className="wrap-anywhere">{token.name}</span>
          </>
        }
        end={<Time at={token.createdAt} />}
      />
    )
  return (
    <Step place={3} state={state} title={t.makeToken}>
      {!canMake ? (
        <p className="text-13 text-muted">{t.cannotMake}</p>
      ) : (
        state === 'current' && (
          <MakeToken namespaceKey={namespaceKey} namespaceName={namespaceName} onMade={onMade} />
        )
      )}
    </Step>
  )
}

interface CodeStepProps {
  readonly state: State
  readonly namespaceKey: string
  readonly flag: Flag | undefined
  readonly hasToken: boolean
  readonly made: NewSecret | undefined
  /** A token that has asked already. */
  readonly used: Token | undefined
}

export function CodeStep({ state, namespaceKey, flag, hasToken, made, used }: CodeStepProps) {
  const t = useTexts(welcomeTexts)
  const isDone = state === 'done'
  const title = isDone ? t.asked : t.paste
  if (flag === undefined || !hasToken)
    return <Step place={4} state="later" title={t.paste} end={t.later} />
  return (
    <Step place={4} state={state} title={title}>
      {isDone && used?.use !== undefined && used.use.lastAddress !== '' && (
        <p className="text-13 text-muted">{t.askedFrom(used.use.lastAddress)}</p>
      )}
      {made !== undefined ? (
        <>
          <div className="flex flex-wrap items-center gap-3 text-13 text-muted">
            <span className="flex-1">{t.withSecret}</span>
            <CopyButton text={made.secret} label={t.copyToken} size="small" look="primary" />
          </div>
          <TokenCode namespaceKey={namespaceKey} secret={made.secret} flag={flag} />
          {!isDone && <FirstUse id={made.id} />}
        </>
      ) : (
        !isDone && (
          <>
            <p className="text-13 text-muted">
              {t.withoutSecret}{' '}
              <Link to="/tokens" className={link}>
                {t.tokensPage}
              </Link>
              .
            </p>
            <TokenCode namespaceKey={namespaceKey} secret={undefined} flag={flag} />
          </>
        )
      )}
    </Step>
  )
}
