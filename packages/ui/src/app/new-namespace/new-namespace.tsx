import { zodResolver } from '@hookform/resolvers/zod'
import { SvcError } from '@svc/client/api'
import { useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import { useForm, useWatch } from 'react-hook-form'
import * as z from 'zod/mini'
import { Button } from '../../components/button.tsx'
import { Dialog } from '../../components/dialog.tsx'
import { Field } from '../../components/field.tsx'
import { Note } from '../../components/note.tsx'
import { TextInput } from '../../components/text-input.tsx'
import { componentTexts } from '../../components/texts.ts'
import { Tile } from '../../components/tile.tsx'
import { showToast } from '../../components/toast.tsx'
import { api, queryClient } from '../../data/api.ts'
import { messageOf } from '../../data/errors.ts'
import { useFreeKey } from '../../data/free-key.ts'
import { namespacesQuery } from '../../data/queries.ts'
import { Rich } from '../../text/rich.tsx'
import { useTexts } from '../../text/texts.ts'
import { openLayer } from '../actions.ts'
import { useOfflineReason } from '../banner.tsx'
import { NameAndKey } from '../name-and-key/fields.tsx'
import { keySchema } from '../name-and-key/schema.ts'
import { nameAndKeyTexts } from '../name-and-key/texts.ts'
import { useMounted } from '../use-mounted.ts'
import { detailsShape, type NamespaceDetails, NamespaceLooks } from './looks.tsx'
import { newNamespaceTexts } from './texts.ts'

interface Form extends NamespaceDetails {
  readonly key: string
}

const readNamespace = (key: string, signal: AbortSignal) => api.namespaces.get({ key }, { signal })
const close = () => openLayer(undefined)

export default function NewNamespace() {
  const t = useTexts(newNamespaceTexts)
  const n = useTexts(nameAndKeyTexts)
  const c = useTexts(componentTexts)
  const navigate = useNavigate()
  const isMounted = useMounted()
  const offlineReason = useOfflineReason()
  const [failure, setFailure] = useState<string>()
  const { control, register, handleSubmit, setValue, setError, formState } = useForm<Form>({
    mode: 'onTouched',
    defaultValues: { name: '', key: '', description: '', color: 'blue', confirm: false },
    resolver: zodResolver(z.object({ ...detailsShape(n), key: keySchema(n) })),
  })
  const { errors, isDirty, isSubmitting } = formState
  const form = useWatch({ control }) as Form
  const keyState = useFreeKey(form.key, readNamespace)
  const create = async (form: Form) => {
    setFailure(undefined)
    try {
      await api.namespaces.create(form)
      await queryClient.invalidateQueries({ queryKey: namespacesQuery.queryKey })
      if (isMounted()) {
        close()
        await navigate({ to: '/ns/$namespaceKey/flags', params: { namespaceKey: form.key } })
      }
      showToast(<Rich text={t.created(form.name)} />)
    } catch (error) {
      const isTaken = error instanceof SvcError && error.status === 409
      if (isTaken) setError('key', { message: t.keyTaken(form.key) }, { shouldFocus: true })
      else setFailure(messageOf(error))
    }
  }
  return (
    <Dialog
      isOpen
      isDirty={isDirty}
      onClose={close}
      onSubmit={() => {
        if (offlineReason === undefined && !isSubmitting) void handleSubmit(create)()
      }}
      title={
        <span className="flex items-center gap-2">
          <Tile namespace={{ ...form, name: form.name || '?' }} />
          {t.title}
        </span>
      }
      footer={
        <>
          <Button onClick={close}>{c.cancel}</Button>
          <Button type="submit" look="primary" isBusy={isSubmitting} disabledReason={offlineReason}>
            {t.create}
          </Button>
        </>
      }
    >
      <div className="grid grid-cols-[minmax(0,1fr)] gap-5">
        <p className="text-13 text-muted">{t.lead}</p>
        {failure !== undefined && <Note kind="failure">{failure}</Note>}
        <NameAndKey
          isStacked
          name={{ ...register('name'), placeholder: t.namePlaceholder, autoFocus: true }}
          keyProps={register('key')}
          nameError={errors.name?.message}
          keyError={
            errors.key?.message ?? (keyState === 'taken' ? t.keyTaken(form.key) : undefined)
          }
          keyState={keyState}
          onDerivedKey={(key) => setValue('key', key, { shouldValidate: formState.isSubmitted })}
        />
        <Field label={t.description} mark={c.optional}>
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
