import type { FlagDocument } from '@svc/client/api'
import { useMatchRoute, useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import { useDone } from '../../../app/done.tsx'
import type { PageNamespace } from '../../../app/namespace.ts'
import { Ask } from '../../../components/dialog.tsx'
import { Note } from '../../../components/note.tsx'
import { NamespaceName } from '../../../components/tile.tsx'
import { queryClient } from '../../../data/api.ts'
import { messageOf } from '../../../data/errors.ts'
import { apply } from '../../../data/flag-writes.ts'
import { flagDocumentQuery } from '../../../data/queries.ts'
import { Rich } from '../../../text/rich.tsx'
import { useFormat, useTexts } from '../../../text/texts.ts'
import { flagSettingsTexts } from './texts.ts'

interface Props {
  readonly namespace: PageNamespace
  readonly flag: FlagDocument
  readonly onClose: () => void
}

/** Asks before a flag is deleted: what goes along, and what code gets then. It can be undone. */
export default function DeleteFlag({ namespace, flag, onClose }: Props) {
  const t = useTexts(flagSettingsTexts)
  const { number, list } = useFormat()
  const navigate = useNavigate()
  const matchRoute = useMatchRoute()
  const done = useDone()
  const [isBusy, setBusy] = useState(false)
  const [failure, setFailure] = useState<string>()
  const { key, variants, rules, rollouts } = flag
  const name = flag.name || key
  const parts = [
    variants.length > 0 && t.variants(variants.length, number(variants.length)),
    rules.length > 0 && t.rules(rules.length, number(rules.length)),
    rollouts.length > 0 && t.rollouts(rollouts.length, number(rollouts.length)),
  ].filter((part) => typeof part === 'string')
  const usesSegments = [...rules, ...rollouts.flatMap(({ segment }) => segment ?? [])].some(
    ({ segments }) => segments.length > 0,
  )
  const params = { namespaceKey: namespace.key }
  /** Before all is read anew: the page of what is gone would say that there is none. */
  const leave = async () => {
    const page = { to: '/ns/$namespaceKey/flags/$flagKey', params: { ...params, flagKey: key } }
    if (matchRoute({ ...page, fuzzy: true }) !== false) {
      onClose()
      await navigate({ to: '/ns/$namespaceKey/flags', params })
    }
    queryClient.removeQueries(flagDocumentQuery(namespace.key, key))
  }
  const remove = async () => {
    setBusy(true)
    setFailure(undefined)
    try {
      const operation = { kind: 'FLAG_KIND', key, delete: true } as const
      const { revision } = await apply(namespace.key, [operation], { onWritten: leave })
      done(<Rich text={t.deleted(name, namespace.name)} />, {
        namespaceKey: namespace.key,
        revision,
        onUndone: () =>
          void navigate({
            to: '/ns/$namespaceKey/flags/$flagKey',
            params: { ...params, flagKey: key },
          }),
      })
    } catch (error) {
      setFailure(messageOf(error))
      setBusy(false)
    }
  }
  return (
    <Ask
      isOpen
      isDanger
      isBusy={isBusy}
      title={
        <>
          {t.deleteTitle(name)} <NamespaceName namespace={namespace} />?
        </>
      }
      action={t.deleteFlag}
      onClose={onClose}
      onConfirm={() => void remove()}
    >
      {failure !== undefined && <Note kind="failure">{failure}</Note>}
      <p className="text-text">{t.deleteText}</p>
      {parts.length > 0 && (
        <p>
          {t.goesAlong(list(parts))} {usesSegments && t.segmentsStay}
        </p>
      )}
      <p>{t.canUndo}</p>
    </Ask>
  )
}
