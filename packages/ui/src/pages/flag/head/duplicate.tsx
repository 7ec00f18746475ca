import type { FlagDocument, FlagDocumentInput } from '@svc/client/api'
import { useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import { useDone } from '../../../app/done.tsx'
import { useMounted } from '../../../app/use-mounted.ts'
import { Button } from '../../../components/button.tsx'
import { Dialog } from '../../../components/dialog.tsx'
import { Note } from '../../../components/note.tsx'
import { componentTexts } from '../../../components/texts.ts'
import { NamespaceName } from '../../../components/tile.tsx'
import { messageOf } from '../../../data/errors.ts'
import { apply } from '../../../data/flag-writes.ts'
import { keyFor } from '../../../data/keys.ts'
import { Rich } from '../../../text/rich.tsx'
import { useTexts } from '../../../text/texts.ts'
import { useFlag } from '../here.ts'
import { flagTexts } from '../texts.ts'
import { NewFlagFields, useNewNames } from './new-flag-fields.tsx'

/** Makes a flag that is as this one. */
export default function Duplicate({ onClose }: { readonly onClose: () => void }) {
  const t = useTexts(flagTexts)
  const c = useTexts(componentTexts)
  const navigate = useNavigate()
  const isMounted = useMounted()
  const done = useDone()
  const { flag, name, namespace, readOnlyReason } = useFlag()
  const [failure, setFailure] = useState<string>()
  const [isBusy, setBusy] = useState(false)
  const fields = useNewNames(namespace.key, {
    name: t.copyName(name),
    key: keyFor(`${flag.key}-copy`),
  })
  const { names, isReady } = fields
  const create = async () => {
    if (!isReady || isBusy || readOnlyReason !== undefined) return
    setBusy(true)
    setFailure(undefined)
    try {
      const { revision } = await apply(namespace.key, [
        { kind: 'FLAG_KIND', key: names.key, flag: copyOf(flag, names), ifRevision: 0 },
      ])
      const params = { namespaceKey: namespace.key, flagKey: names.key }
      if (isMounted()) {
        onClose()
        await navigate({ to: '/ns/$namespaceKey/flags/$flagKey', params })
      }
      done(<Rich text={t.created(names.name, namespace.name)} />, {
        namespaceKey: namespace.key,
        revision,
        onUndone: () => void navigate({ to: '/ns/$namespaceKey/flags', params }),
      })
    } catch (error) {
      setFailure(messageOf(error))
      setBusy(false)
    }
  }
  return (
    <Dialog
      isOpen
      onClose={onClose}
      onSubmit={() => void create()}
      title={
        <>
          {t.duplicateIn(name)} <NamespaceName namespace={namespace} />
        </>
      }
      footer={
        <>
          <Button onClick={onClose}>{c.cancel}</Button>
          <Button type="submit" look="primary" isBusy={isBusy} disabledReason={readOnlyReason}>
            {t.duplicateAction}
          </Button>
        </>
      }
    >
      <div className="grid gap-4">
        {failure !== undefined && <Note kind="failure">{failure}</Note>}
        <p className="text-13 text-muted">{t.duplicateText}</p>
        <NewFlagFields {...fields} />
      </div>
    </Dialog>
  )
}

/** Its parts get ids of their own. */
function copyOf(
  flag: FlagDocument,
  { key, name }: { key: string; name: string },
): FlagDocumentInput {
  return {
    ...flag,
    key,
    name,
    variants: flag.variants.map(withoutId),
    rollouts: flag.rollouts.map(withoutId),
    rules: flag.rules.map((rule) => ({
      ...withoutId(rule),
      distributions: rule.distributions.map(withoutId),
    })),
  }
}

function withoutId<T extends { readonly id: string }>({ id: _, ...rest }: T): Omit<T, 'id'> {
  return rest
}
