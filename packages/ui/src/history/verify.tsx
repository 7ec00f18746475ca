import { SvcError } from '@svc/client/api'
import { ShieldCheck } from 'lucide-react'
import { type ReactNode, useEffect, useRef, useState } from 'react'
import { useOfflineReason } from '../app/banner.tsx'
import { Button } from '../components/button.tsx'
import { CopyKey } from '../components/copy-key.tsx'
import { Icon } from '../components/icon.tsx'
import { Note } from '../components/note.tsx'
import { messageOf } from '../data/errors.ts'
import { useFormat, useTexts } from '../text/texts.ts'
import { historyPartTexts } from './texts.ts'
import { type Slice, type Verified, verifyLog } from './verification.ts'

interface Verifying {
  readonly found: Verified | undefined
  readonly isRunning: boolean
  readonly error: unknown
}

const idle: Verifying = { found: undefined, isRunning: false, error: undefined }

/**
 * @param verify verifies a part of a log
 * @returns the button that verifies it, and what was found
 */
export function useVerification(
  verify: (after: number, signal: AbortSignal) => Promise<Slice>,
): readonly [button: ReactNode, result: ReactNode] {
  const t = useTexts(historyPartTexts)
  const offlineReason = useOfflineReason()
  const [state, setState] = useState(idle)
  const stop = useRef<AbortController>(undefined)
  useEffect(() => () => stop.current?.abort(), [])

  const run = (found?: Verified) => {
    const stopper = new AbortController()
    const { signal } = stopper
    stop.current = stopper
    setState({ found, isRunning: true, error: undefined })
    const onProgress = (found: Verified) => setState({ found, isRunning: true, error: undefined })
    const ended = (error?: unknown) =>
      setState(({ found }) => ({
        found,
        isRunning: false,
        error: signal.aborted ? undefined : error,
      }))
    verifyLog(verify, { signal, onProgress, found }).then(() => ended(), ended)
  }

  const button = state.isRunning ? (
    <Button onClick={() => stop.current?.abort()}>{t.stop}</Button>
  ) : (
    <Button onClick={() => run()} disabledReason={offlineReason}>
      <Icon of={ShieldCheck} />
      {t.verify}
    </Button>
  )
  return [
    button,
    <div key="result" role="status" className="mb-3 empty:hidden">
      <Result state={state} onGoOn={() => run(state.found)} />
    </div>,
  ]
}

function Result({ state, onGoOn }: { readonly state: Verifying; readonly onGoOn: () => void }) {
  const t = useTexts(historyPartTexts)
  const { number } = useFormat()
  const { found, isRunning, error } = state
  if (error !== undefined) {
    const isBusy = error instanceof SvcError && error.status === 503
    return (
      <Note kind={isBusy ? 'attention' : 'failure'}>
        {isBusy ? t.verifyBusy : t.notVerified(messageOf(error))}
      </Note>
    )
  }
  if (isRunning) return <Note>{t.verifying(number(found?.checked ?? 0))}</Note>
  if (found === undefined) return null
  if (!found.intact) {
    return (
      <Note kind="failure">
        <b>{t.broken(number(found.brokenAt ?? 0), found.fault)}</b>
        <p>{t.brokenText}</p>
        <p>{t.intactSoFar(number(found.checked))}</p>
        <Findings found={found} />
      </Note>
    )
  }
  if (!found.isDone) {
    return (
      <Note
        action={
          <Button size="small" onClick={onGoOn}>
            {t.goOn}
          </Button>
        }
      >
        {t.intactSoFar(number(found.checked))}
        <Findings found={found} />
      </Note>
    )
  }
  if (found.checked === 0 && found.unproven.length === 0) return <Note>{t.intactNone}</Note>
  return (
    <Note kind="done">
      <b>{t.intact(found.checked, number(found.checked))}</b>
      <Findings found={found} />
    </Note>
  )
}

/** What is no break, and what to keep at another place to compare with later. */
function Findings({ found: { gaps, unproven, head } }: { readonly found: Verified }) {
  const t = useTexts(historyPartTexts)
  const { number } = useFormat()
  return (
    <>
      {gaps.map(({ from, to }) => (
        <p key={from}>
          {to === undefined ? t.gapDeleted(number(from)) : t.gapFound(number(from), number(to))}
        </p>
      ))}
      {unproven.map(({ count, from, to }) => (
        <p key={from}>{t.unproven(number(count), number(from), number(to))}</p>
      ))}
      {head !== '' && (
        <p className="mt-1.5 flex min-w-0 flex-wrap items-center gap-2 text-12 text-muted">
          {t.head} <CopyKey text={head} />
        </p>
      )}
    </>
  )
}
