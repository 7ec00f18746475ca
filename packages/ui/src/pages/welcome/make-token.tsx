import { type FormEvent, useState } from 'react'
import { useOfflineReason } from '../../app/banner.tsx'
import type { NewSecret } from '../../app/token-code/new-secret.tsx'
import { Button } from '../../components/button.tsx'
import { Field } from '../../components/field.tsx'
import { TextInput } from '../../components/text-input.tsx'
import { api, queryClient } from '../../data/api.ts'
import { messageOf } from '../../data/errors.ts'
import { useTexts } from '../../text/texts.ts'
import { welcomeTexts } from './texts.ts'

interface Props {
  readonly namespaceKey: string
  readonly namespaceName: string
  readonly onMade: (made: NewSecret) => void
}

const lifeMs = 90 * 24 * 3600_000

/** A token for an application: one namespace, ninety days. */
export function MakeToken({ namespaceKey, namespaceName, onMade }: Props) {
  const t = useTexts(welcomeTexts)
  const offlineReason = useOfflineReason()
  const [typed, setTyped] = useState<string>()
  const [isBusy, setBusy] = useState(false)
  const [error, setError] = useState<string>()
  const name = (typed ?? t.tokenName).trim()
  const create = async (event: FormEvent) => {
    event.preventDefault()
    if (offlineReason !== undefined || isBusy) return
    if (name === '') return setError(t.nameMissing)
    setBusy(true)
    setError(undefined)
    try {
      const expiresAt = new Date(Date.now() + lifeMs).toISOString()
      const answer = await api.tokens.create({ name, namespaceKey, expiresAt })
      const { id } = answer.authentication
      onMade({ secret: answer.clientToken, id, name, namespaceKey, isRotated: false })
      await queryClient.invalidateQueries({ queryKey: ['tokens'] })
    } catch (error) {
      setError(messageOf(error))
    } finally {
      setBusy(false)
    }
  }
  return (
    <form className="grid gap-3" noValidate onSubmit={(event) => void create(event)}>
      <p className="text-13 text-muted">{t.makeTokenText(namespaceName)}</p>
      <div className="flex flex-wrap items-end gap-2">
        <div className="w-64 narrow:w-full">
          <Field label={t.name} error={error}>
            {(ids) => (
              <TextInput
                {...ids}
                value={typed ?? t.tokenName}
                maxLength={255}
                autoComplete="off"
                onChange={({ target }) => setTyped(target.value)}
              />
            )}
          </Field>
        </div>
        <Button type="submit" look="primary" isBusy={isBusy} disabledReason={offlineReason}>
          {t.createToken}
        </Button>
        <span className="self-center text-12 text-faint">{t.notYours}</span>
      </div>
    </form>
  )
}
