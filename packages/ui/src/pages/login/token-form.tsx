import { SvcError } from '@svc/client/api'
import { Eye, EyeOff } from 'lucide-react'
import { type FormEvent, useRef, useState } from 'react'
import { Button } from '../../components/button.tsx'
import { Field } from '../../components/field.tsx'
import { Icon } from '../../components/icon.tsx'
import { TextInput } from '../../components/text-input.tsx'
import { api } from '../../data/api.ts'
import { messageOf } from '../../data/errors.ts'
import { useTexts } from '../../text/texts.ts'
import { loginTexts } from './texts.ts'

interface Props {
  readonly onDone: () => Promise<void>
  readonly hasFocus?: boolean
}

/** Exchanges a token for the session of this browser. The token is kept nowhere. */
export function TokenForm({ onDone, hasFocus = false }: Props) {
  const t = useTexts(loginTexts)
  const input = useRef<HTMLInputElement>(null)
  const [token, setToken] = useState('')
  const [isShown, setShown] = useState(false)
  const [isBusy, setBusy] = useState(false)
  const [error, setError] = useState<string>()
  const fail = (message: string) => {
    setError(message)
    input.current?.focus()
  }
  const submit = async (event: FormEvent) => {
    event.preventDefault()
    const pasted = token.trim()
    if (pasted === '') return fail(t.noToken)
    setBusy(true)
    setError(undefined)
    try {
      await api.sessions.signIn({ token: pasted })
      await onDone()
    } catch (error) {
      const isRefused = error instanceof SvcError && error.status === 401
      fail(isRefused ? t.wrongToken : messageOf(error))
    } finally {
      setBusy(false)
    }
  }
  return (
    <form className="grid gap-3" onSubmit={(event) => void submit(event)} noValidate>
      <Field label={t.token} help={t.tokenHelp} error={error}>
        {(ids) => (
          <TextInput
            {...ids}
            ref={input}
            type={isShown ? 'text' : 'password'}
            value={token}
            onChange={({ target }) => setToken(target.value)}
            placeholder="svc_…"
            autoComplete="off"
            spellCheck={false}
            autoFocus={hasFocus}
            isMono
            end={
              <Button
                look="quiet"
                size="small"
                isIcon
                className="-me-1.5"
                aria-label={isShown ? t.hideToken : t.showToken}
                onClick={() => setShown(!isShown)}
              >
                <Icon of={isShown ? EyeOff : Eye} />
              </Button>
            }
          />
        )}
      </Field>
      <Button type="submit" look="primary" size="large" isBlock isBusy={isBusy}>
        {t.signIn}
      </Button>
    </form>
  )
}
