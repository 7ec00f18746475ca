import { zodResolver } from '@hookform/resolvers/zod'
import type { Namespace } from '@svc/client/api'
import { useState } from 'react'
import { useForm, useWatch } from 'react-hook-form'
import * as z from 'zod/mini'
import { useOfflineReason } from '../../app/banner.tsx'
import { editedOf } from '../../app/edited.ts'
import { nameAndKeyTexts } from '../../app/name-and-key/texts.ts'
import {
  detailsShape,
  type NamespaceDetails,
  NamespaceLooks,
} from '../../app/new-namespace/looks.tsx'
import { Button } from '../../components/button.tsx'
import { CopyKey } from '../../components/copy-key.tsx'
import { Dialog } from '../../components/dialog.tsx'
import { Field } from '../../components/field.tsx'
import { Note } from '../../components/note.tsx'
import { TextInput } from '../../components/text-input.tsx'
import { componentTexts } from '../../components/texts.ts'
import { colorOf, NamespaceName } from '../../components/tile.tsx'
import { showToast } from '../../components/toast.tsx'
import { queryClient } from '../../data/api.ts'
import { messageOf } from '../../data/errors.ts'
import { namespacesQuery } from '../../data/queries.ts'
import { Rich } from '../../text/rich.tsx'
import { useTexts } from '../../text/texts.ts'
import { saveNamespace } from './save-namespace.ts'
import { settingsTexts } from './texts.ts'

interface Props {
  readonly namespace: Namespace
  readonly onClose: () => void
}

/** Changes all of a namespace but its key. */
export default function EditNamespace({ namespace, onClose }: Props) {
  const t = useTexts(settingsTexts)
  const n = useTexts(nameAndKeyTexts)
  const c = useTexts(componentTexts)
  const offlineReason = useOfflineReason()
  const [failure, setFailure] = useState<string>()
  /** What the edit began from, or what was said that others have made of it. */
  const [opened, setOpened] = useState(namespace)
  const { control, register, handleSubmit, setValue, formState } = useForm<NamespaceDetails>({
    mode: 'onTouched',
    defaultValues: {
      name: namespace.name,
      description: namespace.description,
      color: colorOf(namespace),
      confirm: namespace.confirm ?? false,
    },
    resolver: zodResolver(z.object(detailsShape(n))),
  })
  const { errors, isDirty, dirtyFields, isSubmitting } = formState
  const form = useWatch({ control }) as NamespaceDetails
  const save = async (form: NamespaceDetails) => {
    setFailure(undefined)
    const edited = editedOf(form, dirtyFields)
    if (Object.keys(edited).length === 0) return onClose()
    try {
      const { namespace: now, theirs } = await saveNamespace(namespace.key, opened, edited)
      await queryClient.invalidateQueries({ queryKey: namespacesQuery.queryKey })
      if (theirs.length > 0) {
        const labels = { name: n.name, description: t.description }
        const texts = theirs.map((part) => c.theirs(labels[part], now[part]))
        setOpened(now)
        setFailure(c.changedMeanwhile(texts.join(', ')))
        return
      }
      onClose()
      showToast(<Rich text={t.saved(now.name)} />)
    } catch (error) {
      setFailure(messageOf(error))
    }
  }
  return (
    <Dialog
      isOpen
      isDirty={isDirty}
      onClose={onClose}
      onSubmit={() => {
        if (offlineReason === undefined && !isSubmitting) void handleSubmit(save)()
      }}
      title={
        <>
          {t.editTitle} <NamespaceName namespace={{ ...namespace, ...form }} />
        </>
      }
      footer={
        <>
          <Button onClick={onClose}>{c.cancel}</Button>
          <Button type="submit" look="primary" isBusy={isSubmitting} disabledReason={offlineReason}>
            {t.save}
          </Button>
        </>
      }
    >
      <div className="grid gap-5">
        {failure !== undefined && <Note kind="failure">{failure}</Note>}
        <div className="flex min-w-0 items-center gap-2 text-12 text-muted">
          {t.key} <CopyKey text={namespace.key} /> {t.keyHelp}
        </div>
        <Field label={n.name} error={errors.name?.message}>
          {(ids) => <TextInput {...ids} {...register('name')} autoComplete="off" />}
        </Field>
        <Field label={t.description} mark={c.optional} error={errors.description?.message}>
          {(ids) => <TextInput {...ids} {...register('description')} autoComplete="off" />}
        </Field>
        <NamespaceLooks
          value={form}
          onColor={(color) => setValue('color', color, { shouldDirty: true })}
          onConfirm={(confirm) => setValue('confirm', confirm, { shouldDirty: true })}
        />
      </div>
    </Dialog>
  )
}
