import { SvcError } from '@svc/client/api'
import { Eye, EyeOff } from 'lucide-react'
import { type FormEvent, useState } from 'react'
import { Button } from '../../components/button.tsx'
import { Field } from '../../components/field.tsx'
import { Icon } from '../../components/icon.tsx'
import { api } from '../../data/api.ts'
import { useText } from '../../text/text.ts'

interface Props {
  readonly onDone: () => Promise<void>
  readonly isPrimary?: boolean
}

/** Exchanges a token for the session of this browser. The token is kept nowhere. */
export function TokenForm({ onDone, isPrimary = false }: Props) {
  const t = useText()
  const [token, setToken] = useState('')
  const [isShown, setShown] = useState(false)
  const [isBusy, setBusy] = useState(false)
  const [error, setError] = useState<string>()
  const submit = async (event: FormEvent) => {
    event.preventDefault()
    const pasted = token.trim()
    if (pasted === '') return setError(t.login.noToken)
    setBusy(true)
    setError(undefined)
    try {
      await api.sessions.signIn({ token: pasted })
      await onDone()
    } catch (error) {
      const isRefused = error instanceof SvcError && error.status === 401
      const message = error instanceof Error ? error.message : String(error)
      setError(isRefused ? t.login.wrongToken : message)
    } finally {
      setBusy(false)
    }
  }
  return (
    <form className="stack s3" onSubmit={(event) => void submit(event)} noValidate>
      <Field label={t.login.token} help={t.login.tokenHelp} error={error}>
        {(ids) => (
          <span className={error === undefined ? 'input mono' : 'input mono bad'}>
            <input
              {...ids}
              type={isShown ? 'text' : 'password'}
              value={token}
              onChange={({ target }) => setToken(target.value)}
              placeholder="svc_…"
              autoComplete="off"
              spellCheck={false}
            />
            <Button
              look="quiet"
              size="small"
              isIcon
              aria-label={isShown ? t.login.hideToken : t.login.showToken}
              onClick={() => setShown(!isShown)}
            >
              <Icon of={isShown ? EyeOff : Eye} />
            </Button>
          </span>
        )}
      </Field>
      <Button
        type="submit"
        look={isPrimary ? 'primary' : 'secondary'}
        size="large"
        isBlock
        isBusy={isBusy}
      >
        {isBusy ? t.login.signingIn : t.login.signIn}
      </Button>
    </form>
  )
}
