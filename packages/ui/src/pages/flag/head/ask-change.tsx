import { type ReactNode, useState } from 'react'
import { Button } from '../../../components/button.tsx'
import { Ask } from '../../../components/dialog.tsx'
import { NamespaceName } from '../../../components/tile.tsx'
import { WhyField } from '../../../components/why-field.tsx'
import { stateOf } from '../../../review/state.ts'
import { sayState } from '../../../review/state-sentences.ts'
import { useFormat, useTexts } from '../../../text/texts.ts'
import { type ChangeAtOnce, useFlag } from '../here.ts'
import { isBoolean, setEnabled } from '../targeting/steps.ts'
import { flagTexts } from '../texts.ts'
import type { FlagWrites } from './writes.ts'

interface Props {
  readonly change: ChangeAtOnce
  readonly writes: FlagWrites
  readonly onClose: () => void
  /** The same in a draft, with another default. */
  readonly onDraft: () => void
}

/** Asks before a change of what people get: what is, and what will be. */
export function AskChange({ change, writes, onClose, onDraft }: Props) {
  const t = useTexts(flagTexts)
  const format = useFormat()
  const { flag, name, namespace, segments, readOnlyReason } = useFlag()
  const [comment, setComment] = useState('')
  const isYesNo = isBoolean(flag)
  const say = (of: typeof flag) => sayState(stateOf(of, segments.isForEveryone), t, format)
  const run = () => {
    const why = comment.trim()
    if (change === 'stop') writes.stop(why)
    else if (change === 'resume') writes.resume(why)
    else writes.turn(change === 'on', why)
    onClose()
  }
  const isDisabling = change === 'off' && !isYesNo
  const { title, action, next, more } = {
    on: {
      title: isYesNo ? t.turnOnIn : t.enableIn,
      action: isYesNo ? t.turnOn : t.enable,
      next: isYesNo ? t.elseGets(true) : t.rulesAsked,
      more: undefined,
    },
    off: {
      title: isYesNo ? t.turnOffIn : t.disableIn,
      action: isYesNo ? t.turnOff : t.disable,
      next: isYesNo ? t.elseGets(false) : say(setEnabled(flag, false)),
      more: isYesNo ? (flag.rollouts.length > 0 ? t.rulesKeep : undefined) : t.notAsked,
    },
    stop: { title: t.stopIn, action: t.stop, next: t.offForEveryone, more: undefined },
    resume: { title: t.resumeIn, action: t.resume, next: t.rolloutsGoOn, more: undefined },
  }[change] satisfies {
    title: (name: string) => string
    action: string
    next: ReactNode
    more: string | undefined
  }
  return (
    <Ask
      isOpen
      title={
        <>
          {title(name)} <NamespaceName namespace={namespace} />?
        </>
      }
      action={action}
      disabledReason={readOnlyReason}
      onClose={onClose}
      onConfirm={run}
    >
      <dl className="grid grid-cols-[auto_minmax(0,1fr)] gap-x-4 gap-y-1 rounded-3 border border-line bg-sunken px-4 py-3 text-text">
        <dt className="text-muted">{t.nowIs}</dt>
        <dd>{say(flag)}</dd>
        <dt className="text-muted">{t.thenIs}</dt>
        <dd>{next}</dd>
      </dl>
      {more !== undefined && <p>{more}</p>}
      {isDisabling && (
        <div className="flex flex-wrap items-center gap-x-3 gap-y-2">
          <Button size="small" onClick={onDraft}>
            {t.otherDefault}
          </Button>
          <span className="min-w-0 flex-1 text-12">{t.otherDefaultHelp}</span>
        </div>
      )}
      <div className="text-text">
        <WhyField
          value={comment}
          onChange={setComment}
          help={t.canUndo}
          onEnter={readOnlyReason === undefined ? run : undefined}
        />
      </div>
    </Ask>
  )
}
