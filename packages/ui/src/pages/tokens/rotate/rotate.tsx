import type { RotateTokenResponse } from '@svc/client/api'
import { type CSSProperties, useState } from 'react'
import { useOfflineReason } from '../../../app/banner.tsx'
import { Button } from '../../../components/button.tsx'
import { Dialog } from '../../../components/dialog.tsx'
import { Note } from '../../../components/note.tsx'
import { Segmented } from '../../../components/tabs.tsx'
import { componentTexts } from '../../../components/texts.ts'
import { api, queryClient } from '../../../data/api.ts'
import { messageOf } from '../../../data/errors.ts'
import type { Token } from '../../../data/token.ts'
import { useFormat, useTexts } from '../../../text/texts.ts'
import { isPast } from '../list.ts'
import { rotateTexts } from './texts.ts'

interface Props {
  readonly token: Token
  readonly onClose: () => void
  /** Gets the answer with the secret, which is in nothing else. */
  readonly onRotated: (answer: RotateTokenResponse) => void
}

const overlaps = ['', '1h', '24h', '168h', '720h'] as const
const hourMs = 3600_000

/** Gives a token a new secret, and lets the old one go on for a while. */
export default function RotateToken({ token, onClose, onRotated }: Props) {
  const t = useTexts(rotateTexts)
  const c = useTexts(componentTexts)
  const { moment, relative } = useFormat()
  const offlineReason = useOfflineReason()
  const [overlap, setOverlap] = useState<(typeof overlaps)[number]>('24h')
  const [openedAt] = useState(Date.now)
  const [isBusy, setBusy] = useState(false)
  const [failure, setFailure] = useState<string>()
  const { use, previousSecretExpiresAt } = token
  const until =
    overlap === ''
      ? undefined
      : new Date(openedAt + Number.parseInt(overlap, 10) * hourMs).toISOString()
  const hasOlder =
    previousSecretExpiresAt !== undefined && !isPast(previousSecretExpiresAt, openedAt)

  const rotate = async () => {
    setBusy(true)
    setFailure(undefined)
    try {
      onRotated(await api.tokens.rotate({ id: token.id, ...(overlap !== '' && { overlap }) }))
      await queryClient.invalidateQueries({ queryKey: ['tokens'] })
    } catch (error) {
      setFailure(messageOf(error))
      setBusy(false)
    }
  }
  return (
    <Dialog
      isOpen
      onClose={onClose}
      title={t.title(token.name)}
      onSubmit={() => {
        if (offlineReason === undefined && !isBusy) void rotate()
      }}
      footer={
        <>
          <Button onClick={onClose}>{c.cancel}</Button>
          <Button type="submit" look="primary" isBusy={isBusy} disabledReason={offlineReason}>
            {t.rotate}
          </Button>
        </>
      }
    >
      <div className="grid gap-5">
        <p className="text-13 text-muted">{t.lead}</p>
        {failure !== undefined && <Note kind="failure">{failure}</Note>}
        <div className="grid justify-items-start gap-1.5">
          <span className="text-13 font-medium" aria-hidden="true">
            {t.overlap}
          </span>
          <Segmented
            label={t.overlap}
            value={overlap}
            onChange={setOverlap}
            choices={overlaps.map((one) => [one, t.overlaps[one]])}
          />
        </div>
        <Lives until={until} />
        <Note>
          {use !== undefined && t.lastUsed(relative(use.lastAt), use.lastAddress)}{' '}
          {until === undefined ? t.leaked : t.sessions} {hasOlder && t.older}
        </Note>
        {until !== undefined && (
          <span role="status" className="sr-only">
            {t.picture(moment(until))}
          </span>
        )}
      </div>
    </Dialog>
  )
}

/** The lives of both secrets, beside each other. */
function Lives({ until }: { readonly until: string | undefined }) {
  const t = useTexts(rotateTexts)
  const { moment } = useFormat()
  const end = until === undefined ? 30 : 50
  return (
    <div
      role="img"
      aria-label={until === undefined ? t.pictureNow : t.picture(moment(until))}
      className="grid grid-cols-[auto_minmax(0,1fr)] items-center gap-x-3 gap-y-2 text-12 text-muted"
    >
      <span>{t.old}</span>
      <Line
        parts={[
          ['bg-control', 0, 30],
          ['bg-draft-mark', 30, end],
        ]}
      />
      <span>{t.fresh}</span>
      <Line parts={[['bg-on-mark', 30, 100]]} />
      <span />
      <span className="relative block h-5">
        <Mark at={30}>{t.now}</Mark>
        {until !== undefined && <Mark at={50}>{moment(until)}</Mark>}
      </span>
    </div>
  )
}

function Line({
  parts,
}: {
  readonly parts: readonly (readonly [look: string, from: number, to: number])[]
}) {
  return (
    <span className="relative block h-2 overflow-hidden rounded-full bg-hover">
      {parts.map(([look, from, to]) => (
        <i
          key={look}
          className={`absolute inset-y-0 ${look}`}
          style={{ insetInlineStart: `${from}%`, width: `${to - from}%` } as CSSProperties}
        />
      ))}
    </span>
  )
}

function Mark({ at, children }: { readonly at: number; readonly children: string | undefined }) {
  return (
    <span
      className="absolute top-0 border-s border-control ps-1.5 whitespace-nowrap"
      style={{ insetInlineStart: `${at}%` }}
    >
      {children}
    </span>
  )
}
