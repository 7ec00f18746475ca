import { SvcError } from '@svc/client/api'
import { type FormEvent, useState } from 'react'
import { useOfflineReason } from '../../app/banner.tsx'
import { Button } from '../../components/button.tsx'
import { Field } from '../../components/field.tsx'
import { TextInput } from '../../components/text-input.tsx'
import { messageOf } from '../../data/errors.ts'
import { apply } from '../../data/flag-writes.ts'
import { keyFor } from '../../data/keys.ts'
import { useTexts } from '../../text/texts.ts'
import { welcomeTexts } from './texts.ts'

/** The first flag: a name is enough. */
export function MakeFlag({ namespaceKey }: { readonly namespaceKey: string }) {
  const t = useTexts(welcomeTexts)
  const offlineReason = useOfflineReason()
  const [typed, setTyped] = useState<string>()
  const [isBusy, setBusy] = useState(false)
  const [error, setError] = useState<string>()
  const name = typed ?? t.flagName
  const key = keyFor(name)
  const create = async (event: FormEvent) => {
    event.preventDefault()
    if (offlineReason !== undefined || isBusy) return
    if (key === '') return setError(t.nameMissing)
    setBusy(true)
    setError(undefined)
    try {
      const flag = { key, name: name.trim(), type: 'BOOLEAN_FLAG_TYPE', enabled: false } as const
      await apply(namespaceKey, [{ kind: 'FLAG_KIND', key, flag, ifRevision: 0 }])
    } catch (error) {
      const isTaken = error instanceof SvcError && (error.status === 409 || error.status === 412)
      setError(isTaken ? t.keyTaken(key) : messageOf(error))
    } finally {
      setBusy(false)
    }
  }
  return (
    <form className="grid gap-3" noValidate onSubmit={(event) => void create(event)}>
      <p className="text-13 text-muted">{t.makeFlagText}</p>
      <div className="flex flex-wrap items-end gap-2">
        <div className="w-64 narrow:w-full">
          <Field
            label={t.name}
            error={error}
            help={
              <>
                {t.keyWillBe} <code>{key}</code>
              </>
            }
          >
            {(ids) => (
              <TextInput
                {...ids}
                value={name}
                maxLength={255}
                autoComplete="off"
                onChange={({ target }) => setTyped(target.value)}
              />
            )}
          </Field>
        </div>
        <Button
          type="submit"
          look="primary"
          isBusy={isBusy}
          disabledReason={offlineReason}
          className="mb-5.5 narrow:mb-0"
        >
          {t.createFlag}
        </Button>
      </div>
    </form>
  )
}
