import { SvcError } from '@svc/client/api'
import { type ErrorComponentProps, useRouter } from '@tanstack/react-router'
import { Button } from '../components/button.tsx'
import { CopyKey } from '../components/copy-key.tsx'
import { Empty } from '../components/empty.tsx'
import { useText } from '../text/text.ts'

/** A page that could not be loaded: what failed, and what names it in the logs. */
export function PageError({ error, reset }: Pick<ErrorComponentProps, 'error' | 'reset'>) {
  const t = useText()
  const router = useRouter()
  const retry = () => {
    reset()
    router.invalidate().catch(() => {})
  }
  const isUnreachable = error instanceof SvcError && error.status === 0
  const requestId = error instanceof SvcError ? error.requestId : undefined
  const message = error instanceof Error ? error.message : String(error)
  return (
    <div role="alert">
      <Empty
        title={t.common.errorTitle}
        actions={
          <Button look="primary" onClick={retry}>
            {t.common.tryAgain}
          </Button>
        }
      >
        {isUnreachable ? t.common.unreachable : message}
      </Empty>
      {requestId !== undefined && (
        <p className="row small muted center">
          {t.common.requestId} <CopyKey text={requestId} />
        </p>
      )}
    </div>
  )
}

export function NotFound() {
  const t = useText()
  return <Empty title={t.common.notFoundTitle}>{t.common.notFoundText}</Empty>
}
