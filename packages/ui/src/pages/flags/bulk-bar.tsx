import type { Flag, OperationInput } from '@svc/client/api'
import { useQuery } from '@tanstack/react-query'
import { X } from 'lucide-react'
import { lazy, Suspense, useState } from 'react'
import { useDone } from '../../app/done.tsx'
import type { PageNamespace } from '../../app/namespace.ts'
import { Button } from '../../components/button.tsx'
import { Ask } from '../../components/dialog.tsx'
import { Icon } from '../../components/icon.tsx'
import { NamespaceName } from '../../components/tile.tsx'
import { showToast } from '../../components/toast.tsx'
import { messageOf } from '../../data/errors.ts'
import { apply } from '../../data/flag-writes.ts'
import { tagsQuery } from '../../data/queries.ts'
import { useFormat, useTexts } from '../../text/texts.ts'
import { toDelete, toEnable, toTag } from './bulk.ts'
import { flagsTexts } from './texts.ts'

const Combobox = lazy(async () => {
  const { Combobox } = await import('../../components/combobox.tsx')
  return { default: Combobox }
})

interface Props {
  readonly flags: readonly Flag[]
  readonly namespace: PageNamespace
  readonly offlineReason: string | undefined
  readonly onClear: () => void
  readonly onDelete: () => void
}

interface Wanted {
  readonly label: string
  readonly operations: readonly OperationInput[]
}

/** What can be done with the flags that are selected, each as one change. */
export function BulkBar({ flags, namespace, offlineReason, onClear, onDelete }: Props) {
  const t = useTexts(flagsTexts)
  const { number } = useFormat()
  const done = useDone()
  const [asked, setAsked] = useState<Wanted>()
  const [isBusy, setBusy] = useState(false)
  const { data: known } = useQuery(tagsQuery(namespace.key))
  const run = async ({ operations }: Wanted) => {
    setBusy(true)
    try {
      const { revision } = await apply(namespace.key, operations)
      const count = operations.length
      done(t.changedSome(count, number(count), namespace.name), {
        namespaceKey: namespace.key,
        revision,
      })
    } catch (error) {
      showToast(messageOf(error), { isFailure: true })
    } finally {
      setBusy(false)
      setAsked(undefined)
    }
  }
  const want = (label: string, operations: readonly OperationInput[]) => {
    if (operations.length === 0) showToast(t.nothingToDo)
    else if (namespace.confirm) setAsked({ label, operations })
    else void run({ label, operations })
  }
  const button = { look: 'quiet' as const, disabledReason: offlineReason }
  const tagTrigger = <Button {...button}>{t.bulkTag}</Button>
  return (
    <section
      aria-label={t.bulk}
      className="sticky bottom-4 z-bar mx-auto mt-6 flex w-fit max-w-full flex-wrap items-center gap-1 rounded-4 bg-raised py-2 ps-4 pe-2 text-13 shadow-layer"
    >
      <b role="status" className="me-2 whitespace-nowrap">
        {t.selected(flags.length, number(flags.length))}
      </b>
      <Button {...button} onClick={() => want(t.enable, toEnable(flags, true))}>
        {t.enable}
      </Button>
      <Button {...button} onClick={() => want(t.disable, toEnable(flags, false))}>
        {t.disable}
      </Button>
      <Suspense fallback={tagTrigger}>
        <Combobox
          trigger={tagTrigger}
          label={t.bulkTag}
          searchLabel={t.tagSearch}
          value={undefined}
          items={(known?.tags ?? []).map(({ name }) => ({ value: name, text: name }))}
          onChange={(tag) => want(t.bulkTag, toTag(flags, tag))}
          onCreate={(tag) => want(t.bulkTag, toTag(flags, tag))}
        />
      </Suspense>
      <Button {...button} look="quiet-danger" onClick={onDelete}>
        {t.delete}
      </Button>
      <Button look="quiet" isIcon aria-label={t.clearSelection} onClick={onClear}>
        <Icon of={X} />
      </Button>
      {asked !== undefined && (
        <Ask
          isOpen
          isBusy={isBusy}
          title={
            <>
              {t.changeSomeIn(asked.operations.length, number(asked.operations.length))}{' '}
              <NamespaceName namespace={namespace} />?
            </>
          }
          action={asked.label}
          onClose={() => setAsked(undefined)}
          onConfirm={() => void run(asked)}
        >
          <KeyList keys={asked.operations.map(({ key = '' }) => key)} />
          <p>{t.canUndo}</p>
        </Ask>
      )}
    </section>
  )
}

interface DeleteProps {
  readonly flags: readonly Flag[]
  readonly namespace: PageNamespace
  readonly onClose: () => void
  readonly onDeleted: () => void
}

/** Asks before flags are deleted, and deletes them in one change. */
export function DeleteFlags({ flags, namespace, onClose, onDeleted }: DeleteProps) {
  const t = useTexts(flagsTexts)
  const { number } = useFormat()
  const done = useDone()
  const [isBusy, setBusy] = useState(false)
  const count = flags.length
  const remove = async () => {
    setBusy(true)
    try {
      const { revision } = await apply(namespace.key, toDelete(flags.map(({ key }) => key)))
      onDeleted()
      done(t.deletedSome(count, number(count), namespace.name), {
        namespaceKey: namespace.key,
        revision,
      })
    } catch (error) {
      showToast(messageOf(error), { isFailure: true })
    } finally {
      setBusy(false)
      onClose()
    }
  }
  return (
    <Ask
      isOpen
      isDanger
      isBusy={isBusy}
      title={
        <>
          {t.deleteTitle(count, number(count))} <NamespaceName namespace={namespace} />
        </>
      }
      action={t.deleteAction}
      onClose={onClose}
      onConfirm={() => void remove()}
    >
      <KeyList keys={flags.map(({ key }) => key)} />
      <p>{t.deleteText}</p>
    </Ask>
  )
}

function KeyList({ keys }: { readonly keys: readonly string[] }) {
  return (
    <ul className="max-h-40 overflow-y-auto rounded-3 border border-line bg-sunken px-4 py-2 font-mono text-12 text-text">
      {keys.map((key) => (
        <li key={key} className="truncate py-0.5">
          {key}
        </li>
      ))}
    </ul>
  )
}
