import { Pencil, Plus } from 'lucide-react'
import { useEffect, useId, useRef, useState } from 'react'
import { Button } from '../../../components/button.tsx'
import { Icon } from '../../../components/icon.tsx'
import { TextArea } from '../../../components/text-input.tsx'
import { componentTexts } from '../../../components/texts.ts'
import { useTexts } from '../../../text/texts.ts'
import { useFlag } from '../here.ts'
import { useSaveParts } from '../settings/writes.ts'
import { flagTexts } from '../texts.ts'

/** The description, changed in its place. */
export function Description() {
  const t = useTexts(flagTexts)
  const c = useTexts(componentTexts)
  const {
    flag: { description },
    name,
    readOnlyReason,
  } = useFlag()
  const { saveText } = useSaveParts()
  const errorId = useId()
  const [typed, setTyped] = useState<string>()
  /** What it was when the edit began, or what was said that others have made of it. */
  const [opened, setOpened] = useState('')
  const [reason, setReason] = useState<string>()
  const [isSaving, setSaving] = useState(false)
  const opener = useRef<HTMLButtonElement>(null)
  const wasOpen = useRef(false)
  const isOpen = typed !== undefined
  useEffect(() => {
    if (wasOpen.current && !isOpen) opener.current?.focus()
    wasOpen.current = isOpen
  }, [isOpen])
  const edit = (text: string | undefined) => {
    setTyped(text)
    setOpened(text ?? '')
    setReason(undefined)
  }
  if (typed !== undefined) {
    const save = async () => {
      const text = typed.trim()
      if (text === opened.trim() || text === description) return edit(undefined)
      setSaving(true)
      const refusal = await saveText('description', text, opened, t.described(name))
      setSaving(false)
      if (refusal === undefined) return edit(undefined)
      setReason(refusal.reason)
      if (refusal.theirs !== undefined) setOpened(refusal.theirs)
    }
    return (
      <div className="grid max-w-[62ch] basis-full gap-2">
        <TextArea
          aria-label={t.description}
          aria-describedby={reason === undefined ? undefined : errorId}
          readOnly={isSaving}
          value={typed}
          autoFocus
          rows={2}
          className="min-h-16"
          onChange={({ target }) => setTyped(target.value)}
          onKeyDown={(event) => {
            if (event.key === 'Escape') edit(undefined)
            else if (event.key === 'Enter' && !event.shiftKey) {
              event.preventDefault()
              if (!isSaving && readOnlyReason === undefined) void save()
            }
          }}
        />
        {reason !== undefined && (
          <p role="alert" id={errorId} className="text-12 wrap-anywhere text-danger">
            {reason}
          </p>
        )}
        <div className="flex gap-2">
          <Button
            size="small"
            disabledReason={readOnlyReason}
            onClick={() => {
              if (!isSaving) void save()
            }}
          >
            {t.save}
          </Button>
          <Button size="small" look="quiet" onClick={() => edit(undefined)}>
            {c.cancel}
          </Button>
        </div>
      </div>
    )
  }
  if (description === '') {
    return (
      <Button
        ref={opener}
        look="quiet"
        size="small"
        className="-ms-2"
        disabledReason={readOnlyReason}
        onClick={() => edit('')}
      >
        <Icon of={Plus} small />
        {t.addDescription}
      </Button>
    )
  }
  return (
    <p className="w-full text-pretty text-muted">
      <span className="whitespace-pre-line wrap-anywhere">{description}</span>{' '}
      <Button
        ref={opener}
        look="quiet"
        size="small"
        isIcon
        aria-label={t.editDescription}
        disabledReason={readOnlyReason}
        className="align-middle"
        onClick={() => edit(description)}
      >
        <Icon of={Pencil} small />
      </Button>
    </p>
  )
}
