import type { Flag } from '@svc/client/api'
import { useState } from 'react'
import type { PageNamespace } from '../../app/namespace.ts'
import { Ask } from '../../components/dialog.tsx'
import { NamespaceName } from '../../components/tile.tsx'
import { WhyField } from '../../components/why-field.tsx'
import { useFormat, useTexts } from '../../text/texts.ts'
import { servesOf } from './serves.ts'
import { flagsTexts } from './texts.ts'

interface Props {
  readonly flag: Flag
  readonly namespace: PageNamespace
  readonly onClose: () => void
  readonly onConfirm: (comment: string) => void
}

/** Asks before a switch is turned, where the namespace wants that: what is, and what will be. */
export default function ConfirmToggle({ flag, namespace, onClose, onConfirm }: Props) {
  const t = useTexts(flagsTexts)
  const format = useFormat()
  const [comment, setComment] = useState('')
  const name = flag.name || flag.key
  const isBoolean = flag.type === 'BOOLEAN_FLAG_TYPE'
  const enabled = !flag.enabled
  const title = isBoolean
    ? (enabled ? t.turnOnIn : t.turnOffIn)(name)
    : (enabled ? t.enableIn : t.disableIn)(name)
  const next = isBoolean
    ? t.else(enabled)
    : enabled
      ? t.evaluated
      : servesOf({ ...flag, enabled }, t, format).sentence
  const action = isBoolean ? (enabled ? t.turnOn : t.turnOff) : enabled ? t.enable : t.disable
  return (
    <Ask
      isOpen
      title={
        <>
          {title} <NamespaceName namespace={namespace} />?
        </>
      }
      action={action}
      onClose={onClose}
      onConfirm={() => onConfirm(comment.trim())}
    >
      <dl className="grid grid-cols-[auto_minmax(0,1fr)] gap-x-4 gap-y-1 rounded-3 border border-line bg-sunken px-4 py-3 text-text">
        <dt className="text-muted">{t.nowIs}</dt>
        <dd>{servesOf(flag, t, format).sentence}</dd>
        <dt className="text-muted">{t.thenIs}</dt>
        <dd>{next}</dd>
      </dl>
      {isBoolean && !enabled && (flag.summary?.rolloutCount ?? 0) > 0 && <p>{t.rulesKeep}</p>}
      <div className="text-text">
        <WhyField
          value={comment}
          onChange={setComment}
          help={t.canUndo}
          onEnter={() => onConfirm(comment.trim())}
        />
      </div>
    </Ask>
  )
}
