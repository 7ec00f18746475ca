import type { CreateTokenResponse } from '@svc/client/api'
import { useQuery } from '@tanstack/react-query'
import { Link, useNavigate, useSearch } from '@tanstack/react-router'
import { lazy, Suspense, useRef, useState } from 'react'
import { useOfflineReason } from '../../app/banner.tsx'
import { Crumbs } from '../../app/crumbs.tsx'
import { useShownNamespace } from '../../app/namespace.ts'
import { NewButton } from '../../app/new-button.tsx'
import { PageError } from '../../app/page-error.tsx'
import { useSetFilters, useSetSearch } from '../../app/set-search.ts'
import { useShortcuts } from '../../app/shortcuts.ts'
import { useTitle } from '../../app/title.ts'
import { type NewSecret, NewSecretPanel } from '../../app/token-code/new-secret.tsx'
import { Button, buttonClass } from '../../components/button.tsx'
import { link } from '../../components/classes.ts'
import { Empty, EmptyRail } from '../../components/empty.tsx'
import { Note } from '../../components/note.tsx'
import { Page, PageHead } from '../../components/page.tsx'
import { SkeletonRows, Waiting } from '../../components/skeleton.tsx'
import { Terminal } from '../../components/terminal.tsx'
import { viewerQuery } from '../../data/queries.ts'
import { svc } from '../../data/terminal.ts'
import { type Token, toToken } from '../../data/token.ts'
import { tokensQuery } from '../../data/tokens.ts'
import { useFormat, useTexts } from '../../text/texts.ts'
import { isPast, pick } from './list.ts'
import type { TokensSearch } from './search.ts'
import { tokensTexts } from './texts.ts'
import { TokenList } from './token-list.tsx'
import { Toolbar } from './toolbar.tsx'

const CreateToken = lazy(() => import('./create/create.tsx'))
const RotateToken = lazy(() => import('./rotate/rotate.tsx'))
const Revoke = lazy(() => import('./revoke.tsx'))

export function TokensPage() {
  const t = useTexts(tokensTexts)
  const { number, relative } = useFormat()
  const search = useSearch({ from: '/inside/tokens' })
  const navigate = useNavigate()
  const setSearch = useSetSearch<TokensSearch>()
  const setFilters = useSetFilters<TokensSearch>()
  const offlineReason = useOfflineReason()
  const shownNamespace = useShownNamespace()
  const input = useRef<HTMLInputElement>(null)
  const [made, setMade] = useState<NewSecret>()
  const [rotated, setRotated] = useState<Token>()
  const [doomed, setDoomed] = useState<Token>()
  useTitle(t.title)

  const { data: viewer } = useQuery(viewerQuery)
  const query = useQuery(tokensQuery(search.kind && 'METHOD_ORCHESTRATOR'))
  const { tokens = [], isCut = false } = query.data ?? {}
  const now = query.dataUpdatedAt
  const shown = pick(tokens, search, now)
  const first = tokens.find((token) => token.isFirst && !isPast(token.expiresAt, now))
  const others = tokens.filter(
    ({ isFirst, isCli, expiresAt }) => !isFirst && !isCli && !isPast(expiresAt, now),
  )
  const isFiltered = ['q', 'works', 'state', 'kind'].some((name) => name in search)
  const isEmpty = query.data !== undefined && tokens.length === 0 && !isFiltered
  const create = () => setSearch({ new: true })
  const isRefused = query.isError && query.data === undefined
  const canCreate = offlineReason === undefined && !isRefused
  useShortcuts({ c: canCreate ? create : undefined, '/': () => input.current?.focus() })

  const show = ({ clientToken, authentication }: CreateTokenResponse, isRotated: boolean) => {
    const { id, name, namespaceKey } = toToken(authentication)
    setMade({
      secret: clientToken,
      id,
      name,
      namespaceKey: namespaceKey || (shownNamespace?.key ?? 'default'),
      isRotated,
    })
  }
  /** The row that comes in its place, so that the keys go on from there. */
  const focusAfter = (token: Token) => {
    const place = shown.indexOf(token)
    const next = shown[place + 1] ?? shown[place - 1]
    requestAnimationFrame(() => {
      const menu = document.querySelector<HTMLElement>(
        next === undefined ? '#main h1' : `[data-token="${next.id}"] [data-row-menu]`,
      )
      menu?.focus()
    })
  }

  if (viewer?.kind === 'open') return <OpenAccess />
  return (
    <>
      <Crumbs path={[{ text: t.title }]} />
      <Page>
        <PageHead
          title={t.title}
          lead={
            <>
              {t.lead}{' '}
              <Link to="/sessions" className={link}>
                {t.leadSessions}
              </Link>
              .
            </>
          }
          actions={
            !isEmpty &&
            !isRefused && (
              <NewButton onClick={create} disabledReason={offlineReason}>
                {t.newToken}
              </NewButton>
            )
          }
        />
        {first !== undefined && others.length > 0 && (
          <div className="mb-4">
            <Note
              kind="attention"
              action={
                <Button
                  look="danger"
                  size="small"
                  disabledReason={offlineReason}
                  onClick={() => setDoomed(first)}
                >
                  {t.revokeFirst}
                </Button>
              }
            >
              <b>{t.firstTitle}</b> {t.firstText(others.length, number(others.length))}{' '}
              {first.use !== undefined && t.firstUsed(relative(first.use.lastAt))}
            </Note>
          </div>
        )}
        {!isEmpty && !isRefused && <Toolbar search={search} inputRef={input} />}
        {isRefused && (
          <PageError isPage={false} error={query.error} reset={() => void query.refetch()} />
        )}
        {query.isPending && (
          <Waiting>
            <SkeletonRows count={5} />
          </Waiting>
        )}
        {isEmpty && (
          <Empty
            title={t.emptyTitle}
            picture={<EmptyRail />}
            actions={
              <Button look="primary" onClick={create} disabledReason={offlineReason}>
                {t.newToken}
              </Button>
            }
          >
            {t.emptyText}
          </Empty>
        )}
        {query.data !== undefined && !isEmpty && shown.length === 0 && (
          <Empty
            title={t.noMatchTitle}
            actions={<Button onClick={() => setFilters(noFilters)}>{t.clearFilters}</Button>}
          >
            {t.noMatchText}
          </Empty>
        )}
        {shown.length > 0 && (
          <TokenList
            tokens={shown}
            search={search}
            now={now}
            offlineReason={offlineReason}
            onRotate={setRotated}
            onRevoke={setDoomed}
          />
        )}
        {isCut && <p className="mt-3 text-12 text-muted">{t.isCut(number(tokens.length))}</p>}
        <Terminal className="mt-8" command={svc(undefined, 'tokens', 'list')} />
      </Page>
      <Suspense fallback={null}>
        {search.new && (
          <CreateToken
            onClose={() => setSearch({ new: undefined })}
            onCreated={(answer) => {
              setSearch({ new: undefined })
              show(answer, false)
            }}
          />
        )}
        {rotated !== undefined && (
          <RotateToken
            token={rotated}
            onClose={() => setRotated(undefined)}
            onRotated={(answer) => {
              setRotated(undefined)
              show(answer, true)
            }}
          />
        )}
        {doomed !== undefined && (
          <Revoke
            token={doomed}
            tokens={tokens}
            now={now}
            onClose={() => setDoomed(undefined)}
            onRevoked={async (endsYours) => {
              if (endsYours) await navigate({ to: '/login' })
              else focusAfter(doomed)
            }}
          />
        )}
      </Suspense>
      <NewSecretPanel made={made} onClose={() => setMade(undefined)} />
    </>
  )
}

/** Without sign-in no caller may manage tokens. */
function OpenAccess() {
  const t = useTexts(tokensTexts)
  return (
    <>
      <Crumbs path={[{ text: t.title }]} />
      <Empty
        isPage
        title={t.openTitle}
        actions={
          <Link
            to="/login"
            search={{ back: '/tokens' }}
            className={buttonClass({ look: 'primary' })}
          >
            {t.signIn}
          </Link>
        }
      >
        {t.openText}
      </Empty>
    </>
  )
}

const noFilters = { q: undefined, works: undefined, state: undefined, kind: undefined }
