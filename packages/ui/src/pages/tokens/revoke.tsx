import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { Ask } from '../../components/dialog.tsx'
import { Field } from '../../components/field.tsx'
import { Note } from '../../components/note.tsx'
import { TextInput } from '../../components/text-input.tsx'
import { showToast } from '../../components/toast.tsx'
import { api, queryClient } from '../../data/api.ts'
import { noteSignedIn } from '../../data/connection.ts'
import { messageOf } from '../../data/errors.ts'
import { viewerQuery } from '../../data/queries.ts'
import { signInTokenQuery, tokenNameOf } from '../../data/sessions.ts'
import type { Token } from '../../data/token.ts'
import { Rich } from '../../text/rich.tsx'
import { useFormat, useTexts } from '../../text/texts.ts'
import { isPast } from './list.ts'
import { isInUse, isLastForAll } from './revoke-facts.ts'
import { tokensTexts } from './texts.ts'

interface Props {
  readonly token: Token
  /** All that there are. */
  readonly tokens: readonly Token[]
  readonly now: number
  readonly onClose: () => void
  /** @param endsYours whether the session of this page has ended with it */
  readonly onRevoked: (endsYours: boolean) => Promise<void>
}

/** Asks before a token is ended for ever. */
export default function Revoke({ token, tokens, now, onClose, onRevoked }: Props) {
  const t = useTexts(tokensTexts)
  const { relative } = useFormat()
  const [typed, setTyped] = useState('')
  const [isBusy, setBusy] = useState(false)
  const endsYours = useEndsYours(token)
  const { use, name, isWorkload } = token
  const isRefused = isPast(token.expiresAt, now)
  const hasToType = !isRefused && isInUse(token, now)
  const revoke = async () => {
    setBusy(true)
    try {
      await api.authentications.delete({ id: token.id })
      if (endsYours) {
        noteSignedIn(false)
        queryClient.clear()
      } else await queryClient.invalidateQueries({ queryKey: ['tokens'] })
      onClose()
      await onRevoked(endsYours)
      showToast(<Rich text={t.revoked(name)} />)
    } catch (error) {
      setBusy(false)
      showToast(messageOf(error), { isFailure: true })
    }
  }
  return (
    <Ask
      isOpen
      isDanger
      isBusy={isBusy}
      title={t.revokeTitle(name)}
      action={t.revokeAction(name)}
      disabledReason={hasToType && typed.trim() !== name ? t.typeFirst : undefined}
      onClose={onClose}
      onConfirm={() => void revoke()}
    >
      <p>
        {isRefused ? t.revokePast : t.revokeText}{' '}
        {use === undefined ? t.notUsed : t.lastUsed(relative(use.lastAt, now), use.lastAddress)}
      </p>
      {endsYours ? (
        <Note kind="attention">{t.endsYours}</Note>
      ) : (
        !isWorkload && !isRefused && <p>{t.endsSessions}</p>
      )}
      {isLastForAll(token, tokens, now) && <Note kind="attention">{t.isLast}</Note>}
      {hasToType && (
        <Field label={t.typeName(name)}>
          {(ids) => (
            <TextInput
              {...ids}
              value={typed}
              autoComplete="off"
              spellCheck={false}
              onChange={({ target }) => setTyped(target.value)}
              onKeyDown={({ key }) => {
                if (key === 'Enter' && typed.trim() === name && !isBusy) void revoke()
              }}
            />
          )}
        </Field>
      )}
    </Ask>
  )
}

/** Whether the browser is signed in with the token: by the log, or else by the name. */
function useEndsYours({ id, name }: Token): boolean {
  const { data: viewer } = useQuery(viewerQuery)
  const session = viewer?.kind === 'session' ? viewer.session : undefined
  const own = session && tokenNameOf(session.authentication)
  const { data: signedInWith = '' } = useQuery({
    ...signInTokenQuery(session?.authentication.id ?? ''),
    enabled: own !== undefined,
  })
  return signedInWith === '' ? own === name : signedInWith === id
}
