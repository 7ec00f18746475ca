import type { Flag } from '@svc/client/api'
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { buttonClass } from '../../components/button.tsx'
import { Note } from '../../components/note.tsx'
import { methodsQuery } from '../../data/queries.ts'
import type { Token } from '../../data/token.ts'
import { useTexts } from '../../text/texts.ts'
import { welcomeTexts } from './texts.ts'

interface Props {
  readonly namespaceKey: string
  readonly flag: Flag | undefined
  readonly tokens: readonly Token[]
  readonly now: number
  readonly isDone: boolean
}

/** What comes after the first steps. */
export function After({ namespaceKey, flag, tokens, now, isDone }: Props) {
  const t = useTexts(welcomeTexts)
  const { data } = useQuery(methodsQuery)
  const isValid = ({ expiresAt }: Token) => expiresAt === undefined || Date.parse(expiresAt) > now
  const first = tokens.find((token) => token.isFirst && isValid(token))
  const others = tokens.filter((token) => !token.isFirst && !token.isCli && isValid(token))
  // Without another way to manage tokens it is not to go yet.
  const hasOtherWay =
    others.some(({ namespaceKey }) => namespaceKey === '') ||
    data?.methods.some(
      ({ method, enabled }) =>
        enabled && (method === 'METHOD_OIDC' || method === 'METHOD_CODEHOST'),
    ) === true
  return (
    <div className="mt-10 grid gap-4">
      {isDone && flag !== undefined && (
        <Note
          kind="done"
          action={
            <Link
              to="/ns/$namespaceKey/flags/$flagKey"
              params={{ namespaceKey, flagKey: flag.key }}
              className={buttonClass()}
            >
              {t.openFlag}
            </Link>
          }
        >
          <b>{t.goOnTitle}.</b> {t.goOnText}
        </Note>
      )}
      {first !== undefined && others.length > 0 && (
        <Note
          kind="attention"
          action={
            hasOtherWay ? (
              <Link to="/tokens" search={{ q: first.name }} className={buttonClass()}>
                {t.deleteFirst}
              </Link>
            ) : (
              <Link to="/tokens" search={{ new: true }} className={buttonClass()}>
                {t.makeOwn}
              </Link>
            )
          }
        >
          <b>{t.firstTitle}</b> {hasOtherWay ? t.firstText : t.onlyFirst}
        </Note>
      )}
    </div>
  )
}
