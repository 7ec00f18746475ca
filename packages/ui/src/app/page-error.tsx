import { type ErrorComponentProps, Link, useRouter } from '@tanstack/react-router'
import { Button, buttonClass } from '../components/button.tsx'
import { CopyButton, CopyKey } from '../components/copy-key.tsx'
import { Empty } from '../components/empty.tsx'
import { failureOf } from '../data/errors.ts'
import { useTexts } from '../text/texts.ts'
import { appTexts } from './texts.ts'
import { useTitle } from './title.ts'

interface Props extends Pick<ErrorComponentProps, 'error' | 'reset'> {
  /** Whether it is all of the page. @default true */
  readonly isPage?: boolean
}

/** A page or a part of one that could not be loaded: what failed, whose doing it is, and what to do. */
export function PageError({ error, reset, isPage = true }: Props) {
  const t = useTexts(appTexts)
  const router = useRouter()
  const failure = failureOf(error)
  const retry = () => {
    reset()
    router.invalidate().catch(() => {})
  }
  const { title, text } = {
    forbidden: { title: t.forbiddenTitle, text: `${failure.message}. ${t.forbiddenText}` },
    missing: { title: t.missingTitle, text: failure.message },
    unreachable: { title: t.errorTitle, text: t.errorUnreachable },
    page: { title: t.errorTitle, text: t.errorPage },
    server: { title: t.errorTitle, text: t.errorServer },
    other: { title: t.errorTitle, text: failure.message },
  }[toShown(failure.kind)]
  return (
    <div role="alert">
      <Empty
        title={title}
        isPage={isPage}
        picture={<BrokenRail />}
        actions={
          <>
            {failure.kind !== 'forbidden' && failure.kind !== 'missing' && (
              <Button look="primary" onClick={retry}>
                {t.tryAgain}
              </Button>
            )}
            {(failure.kind === 'forbidden' || failure.kind === 'missing') && (
              <Link to="/" className={buttonClass({ look: 'primary' })}>
                {t.toFlags}
              </Link>
            )}
            {(failure.kind === 'server' || failure.kind === 'unreachable') && (
              <Link to="/status" className={buttonClass()}>
                {t.lookAtStatus}
              </Link>
            )}
            {failure.kind === 'page' && (
              <CopyButton
                text={`${failure.message}\n${error instanceof Error ? error.stack : ''}`}
                label={t.copyReport}
              />
            )}
          </>
        }
      >
        {text}
      </Empty>
      {failure.requestId !== undefined && (
        <p className="flex items-center justify-center gap-2 text-12 text-muted">
          {t.request} <CopyKey text={failure.requestId} />
        </p>
      )}
    </div>
  )
}

function toShown(kind: ReturnType<typeof failureOf>['kind']) {
  if (kind === 'forbidden' || kind === 'missing' || kind === 'unreachable' || kind === 'page')
    return kind
  return kind === 'server' ? 'server' : 'other'
}

export function NotFound() {
  const t = useTexts(appTexts)
  useTitle(t.missingTitle)
  return (
    <Empty
      title={t.missingTitle}
      isPage
      picture={<BrokenRail />}
      actions={
        <Link to="/" className={buttonClass({ look: 'primary' })}>
          {t.toFlags}
        </Link>
      }
    >
      {t.missingText}
    </Empty>
  )
}

/** The namespace of the URL is not among those that the viewer may see. */
export function NoNamespace({ namespaceKey }: { readonly namespaceKey: string }) {
  const t = useTexts(appTexts)
  const title = t.noNamespaceTitle(namespaceKey)
  useTitle(title)
  return (
    <Empty
      title={title}
      isPage
      picture={<BrokenRail />}
      actions={
        <Link to="/" className={buttonClass({ look: 'primary' })}>
          {t.toFlags}
        </Link>
      }
    >
      {t.noNamespaceText}
    </Empty>
  )
}

/** The drawing of an error: the line ends before its stop. */
function BrokenRail() {
  return (
    <svg width="96" height="96" viewBox="0 0 96 96" fill="none" aria-hidden="true">
      <path d="M48 0v34M48 62v34" stroke="var(--line-strong)" strokeWidth="1.5" />
      <path
        d="M40 38l16 16M56 38L40 54"
        stroke="var(--danger-mark)"
        strokeWidth="2"
        strokeLinecap="round"
      />
      <circle
        cx="48"
        cy="46"
        r="17"
        stroke="var(--danger-line)"
        strokeWidth="1.5"
        strokeDasharray="3 3"
      />
    </svg>
  )
}
