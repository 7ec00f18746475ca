import type { Namespace } from '@svc/client/api'
import { useState } from 'react'
import { Checkbox } from '../../components/checkbox.tsx'
import { Ask } from '../../components/dialog.tsx'
import { Field } from '../../components/field.tsx'
import { TextInput } from '../../components/text-input.tsx'
import { NamespaceName } from '../../components/tile.tsx'
import { showToast } from '../../components/toast.tsx'
import { api, queryClient } from '../../data/api.ts'
import { messageOf } from '../../data/errors.ts'
import { namespacesQuery } from '../../data/queries.ts'
import { Rich } from '../../text/rich.tsx'
import { useFormat, useTexts } from '../../text/texts.ts'
import { holds } from './holds.ts'
import { settingsTexts } from './texts.ts'

interface Props {
  readonly namespace: Namespace
  readonly onClose: () => void
}

/** Asks before a namespace is deleted for ever: for its key, and for what is in it. */
export default function DeleteNamespace({ namespace, onClose }: Props) {
  const t = useTexts(settingsTexts)
  const format = useFormat()
  const [typed, setTyped] = useState('')
  const [isTicked, setTicked] = useState(false)
  const [isBusy, setBusy] = useState(false)
  const name = namespace.name || namespace.key
  const held = holds(namespace, t, format)
  const isBlocked = held !== '' && !isTicked
  const remove = async () => {
    setBusy(true)
    try {
      await api.namespaces.delete({ key: namespace.key, ...(isTicked && { force: true }) })
      await queryClient.invalidateQueries({ queryKey: namespacesQuery.queryKey })
      onClose()
      showToast(<Rich text={t.deleted(name)} />)
      requestAnimationFrame(() => document.querySelector<HTMLElement>('#namespaces-title')?.focus())
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
      title={
        <>
          {t.deleteTitle} <NamespaceName namespace={namespace} />
        </>
      }
      action={t.deleteAction(name)}
      disabledReason={
        isBlocked ? t.tickFirst : typed.trim() === namespace.key ? undefined : t.typeFirst
      }
      onClose={onClose}
      onConfirm={() => void remove()}
    >
      <p>{t.deleteText}</p>
      {held !== '' && (
        <Checkbox isChecked={isTicked} onChange={setTicked}>
          {t.holds(held)}
        </Checkbox>
      )}
      <Field label={t.typeKey(namespace.key)}>
        {(ids) => (
          <TextInput
            {...ids}
            value={typed}
            isMono
            autoComplete="off"
            spellCheck={false}
            onChange={({ target }) => setTyped(target.value)}
          />
        )}
      </Field>
    </Ask>
  )
}
