import type { Explanation, Flag } from '@svc/client/api'
import { type FormEvent, useState } from 'react'
import { useOfflineReason } from '../../app/banner.tsx'
import { Button } from '../../components/button.tsx'
import { Field } from '../../components/field.tsx'
import { TextInput } from '../../components/text-input.tsx'
import { api } from '../../data/api.ts'
import { messageOf } from '../../data/errors.ts'
import { useTexts } from '../../text/texts.ts'
import { welcomeTexts } from './texts.ts'

interface Props {
  readonly flag: Flag
  readonly namespaceKey: string
  readonly onAnswer: (answer: Explanation) => void
}

/** Asks for the flag as an application would. */
export function AskForFlag({ flag, namespaceKey, onAnswer }: Props) {
  const t = useTexts(welcomeTexts)
  const offlineReason = useOfflineReason()
  const [entityId, setEntityId] = useState('user-42')
  const [isBusy, setBusy] = useState(false)
  const [error, setError] = useState<string>()
  const ask = async (event: FormEvent) => {
    event.preventDefault()
    if (offlineReason !== undefined || isBusy) return
    setBusy(true)
    setError(undefined)
    try {
      const revision = flag.summary?.revision
      onAnswer(
        await api.explanations.explain(
          { namespaceKey, flagKey: flag.key, entityId, context: {} },
          // The gateway that is asked may have the flag a moment later.
          revision === undefined ? {} : { minRevision: `${namespaceKey}:${revision}` },
        ),
      )
    } catch (error) {
      setError(messageOf(error))
    } finally {
      setBusy(false)
    }
  }
  return (
    <form className="grid gap-3" noValidate onSubmit={(event) => void ask(event)}>
      <p className="text-13 text-muted">{t.askText}</p>
      <div className="flex flex-wrap items-end gap-2">
        <div className="w-64 narrow:w-full">
          <Field label={t.entity} error={error}>
            {(ids) => (
              <TextInput
                {...ids}
                value={entityId}
                isMono
                autoComplete="off"
                spellCheck={false}
                onChange={({ target }) => setEntityId(target.value)}
              />
            )}
          </Field>
        </div>
        <Button type="submit" look="primary" isBusy={isBusy} disabledReason={offlineReason}>
          {t.evaluate}
        </Button>
      </div>
    </form>
  )
}
