import { SvcError } from '@svc/client/api'
import { useQuery } from '@tanstack/react-query'
import { Link, useRouter, useRouterState } from '@tanstack/react-router'
import { type ReactNode, useState } from 'react'
import { Doorway } from '../../app/doorway.tsx'
import { useTitle } from '../../app/title.ts'
import { Button, buttonClass } from '../../components/button.tsx'
import { Note } from '../../components/note.tsx'
import { api, queryClient } from '../../data/api.ts'
import { messageOf } from '../../data/errors.ts'
import { viewerQuery } from '../../data/queries.ts'
import { useTexts } from '../../text/texts.ts'
import { CodeToType } from './code-to-type.tsx'
import { type CliLink, loopbackUrl, readCliLink } from './link.ts'
import { cliLoginTexts } from './texts.ts'
import { WhatHappens } from './what-happens.tsx'

/** A code that waits: it is shown to people only where the link names no port. */
interface Code {
  readonly code: string
  readonly expiresAt: string
}

/** Lets the command line have a token, when the person says so. */
export function CliLoginPage() {
  const t = useTexts(cliLoginTexts)
  const hash = useRouterState({ select: ({ location }) => location.hash })
  const { data: viewer } = useQuery(viewerQuery)
  useTitle(t.pageTitle)
  const link = readCliLink(hash)
  if (link === undefined) return <Said title={t.badTitle}>{t.bad}</Said>
  if (link === 'done') return <Said title={t.doneTitle}>{t.done}</Said>
  if (link === 'failed') return <Said title={t.notDoneTitle}>{t.notDone}</Said>
  if (viewer === undefined) return null
  if (viewer.kind !== 'session') {
    const signIn = (
      <Link
        to="/login"
        search={{ back: `/cli-login#${hash}` }}
        className={buttonClass({ look: 'primary', size: 'large', isBlock: true })}
      >
        {t.signIn}
      </Link>
    )
    return (
      <Said title={t.openTitle} action={signIn}>
        {t.open}
      </Said>
    )
  }
  // Another link is another question.
  return <Question key={hash} link={link} />
}

function Question({ link }: { readonly link: CliLink }) {
  const t = useTexts(cliLoginTexts)
  const router = useRouter()
  const [state, setState] = useState<'asked' | 'busy' | 'sent' | 'denied'>('asked')
  const [error, setError] = useState<string>()
  const [shown, setShown] = useState<Code>()

  const allow = async () => {
    setState('busy')
    setError(undefined)
    try {
      const { challenge, host, port } = link
      const { code, expiresAt } = await api.cli.createCliCode({ challenge, description: host })
      if (port === undefined) setShown({ code, expiresAt })
      // In place of this page, so that going back does not lead to the code.
      else location.replace(loopbackUrl(link, port, { code }))
      setState('sent')
    } catch (error) {
      if (error instanceof SvcError && error.status === 401) return signIn()
      const isNoSession = error instanceof SvcError && error.status === 403
      setError(isNoSession ? t.noSession : messageOf(error))
      setState('asked')
    }
  }
  /** The session has ended meanwhile. */
  const signIn = async () => {
    queryClient.removeQueries(viewerQuery)
    await router.invalidate()
  }
  const deny = () => {
    setState('denied')
    // So that the command line need not wait.
    if (link.port !== undefined)
      location.replace(loopbackUrl(link, link.port, { error: 'access_denied' }))
  }

  if (shown !== undefined) return <CodeToType {...shown} />
  if (state === 'sent') return <Said title={t.sentTitle}>{t.sent}</Said>
  if (state === 'denied') return <Said title={t.deniedTitle}>{t.denied}</Said>
  return (
    <Doorway title={t.title}>
      <div className="grid gap-4">
        <WhatHappens host={link.host} />
        {error !== undefined && (
          <Note kind="failure">
            <b>{t.failed}</b> {error}
          </Note>
        )}
        <div className="grid gap-2">
          <Button
            look="primary"
            size="large"
            isBlock
            isBusy={state === 'busy'}
            onClick={() => void allow()}
          >
            {t.allow}
          </Button>
          <Button size="large" isBlock onClick={deny}>
            {t.deny}
          </Button>
        </div>
      </div>
    </Doorway>
  )
}

/** One sentence, where there is nothing to decide. */
function Said({
  title,
  children,
  action,
}: {
  readonly title: string
  readonly children: ReactNode
  readonly action?: ReactNode
}) {
  return (
    <Doorway title={title}>
      <div className="grid gap-4">
        <p role="status" className="text-13 text-pretty">
          {children}
        </p>
        {action}
      </div>
    </Doorway>
  )
}
