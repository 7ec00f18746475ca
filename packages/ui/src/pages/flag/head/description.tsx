import { Pencil, Plus } from 'lucide-react'
import { useEffect, useRef, useState } from 'react'
import { Button } from '../../../components/button.tsx'
import { Icon } from '../../../components/icon.tsx'
import { TextArea } from '../../../components/text-input.tsx'
import { componentTexts } from '../../../components/texts.ts'
import { useTexts } from '../../../text/texts.ts'
import { useFlag } from '../here.ts'
import { flagTexts } from '../texts.ts'

interface Props {
  readonly description: string
  readonly onSave: (description: string) => void
}

/** The description, changed in its place. */
export function Description({ description, onSave }: Props) {
  const t = useTexts(flagTexts)
  const c = useTexts(componentTexts)
  const { readOnlyReason } = useFlag()
  const [typed, setTyped] = useState<string>()
  const opener = useRef<HTMLButtonElement>(null)
  const wasOpen = useRef(false)
  const isOpen = typed !== undefined
  useEffect(() => {
    if (wasOpen.current && !isOpen) opener.current?.focus()
    wasOpen.current = isOpen
  }, [isOpen])
  if (typed !== undefined) {
    const save = () => {
      const text = typed.trim()
      if (text !== description) onSave(text)
      setTyped(undefined)
    }
    return (
      <div className="grid max-w-[62ch] basis-full gap-2">
        <TextArea
          aria-label={t.description}
          value={typed}
          autoFocus
          rows={2}
          className="min-h-16"
          onChange={({ target }) => setTyped(target.value)}
          onKeyDown={(event) => {
            if (event.key === 'Escape') setTyped(undefined)
            else if (event.key === 'Enter' && !event.shiftKey) {
              event.preventDefault()
              save()
            }
          }}
        />
        <div className="flex gap-2">
          <Button size="small" disabledReason={readOnlyReason} onClick={save}>
            {t.save}
          </Button>
          <Button size="small" look="quiet" onClick={() => setTyped(undefined)}>
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
        onClick={() => setTyped('')}
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
        onClick={() => setTyped(description)}
      >
        <Icon of={Pencil} small />
      </Button>
    </p>
  )
}
