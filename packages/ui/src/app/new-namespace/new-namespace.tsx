import { zodResolver } from '@hookform/resolvers/zod'
import { SvcError } from '@svc/client/api'
import { useNavigate } from '@tanstack/react-router'
import { Check } from 'lucide-react'
import { useState } from 'react'
import { Controller, useForm, useWatch } from 'react-hook-form'
import * as z from 'zod/mini'
import { Button } from '../../components/button.tsx'
import { Checkbox } from '../../components/checkbox.tsx'
import { ColorChoice } from '../../components/color-choice.tsx'
import { Dialog } from '../../components/dialog.tsx'
import { Field } from '../../components/field.tsx'
import { Icon } from '../../components/icon.tsx'
import { Note } from '../../components/note.tsx'
import { TextInput } from '../../components/text-input.tsx'
import { componentTexts } from '../../components/texts.ts'
import { Tile } from '../../components/tile.tsx'
import { showToast } from '../../components/toast.tsx'
import { api, queryClient } from '../../data/api.ts'
import { messageOf } from '../../data/errors.ts'
import { useFreeKey } from '../../data/free-key.ts'
import { keyFor, keyPattern, maxKeyLength } from '../../data/keys.ts'
import { namespacesQuery } from '../../data/queries.ts'
import { Rich } from '../../text/rich.tsx'
import { useTexts } from '../../text/texts.ts'
import { openLayer } from '../actions.ts'
import { useOfflineReason } from '../banner.tsx'
import { type NewNamespaceTexts, newNamespaceTexts } from './texts.ts'

interface Form {
  readonly name: string
  readonly key: string
  readonly description: string
  readonly color: string
  readonly confirm: boolean
}

function schemaFor(t: NewNamespaceTexts) {
  return z.object({
    name: z.string().check(z.trim(), z.minLength(1, t.nameMissing), z.maxLength(255, t.tooLong)),
    key: z
      .string()
      .check(
        z.minLength(1, t.keyMissing),
        z.maxLength(maxKeyLength, t.tooLong),
        z.regex(keyPattern, t.keyWrong),
      ),
    description: z.string().check(z.trim()),
    color: z.string(),
    confirm: z.boolean(),
  })
}

const readNamespace = (key: string, signal: AbortSignal) => api.namespaces.get({ key }, { signal })
const close = () => openLayer(undefined)

export default function NewNamespace() {
  const t = useTexts(newNamespaceTexts)
  const c = useTexts(componentTexts)
  const navigate = useNavigate()
  const offlineReason = useOfflineReason()
  const [failure, setFailure] = useState<string>()
  const [isKeyTouched, setKeyTouched] = useState(false)
  const { control, register, handleSubmit, setValue, setError, formState } = useForm<Form>({
    mode: 'onTouched',
    defaultValues: { name: '', key: '', description: '', color: 'blue', confirm: false },
    resolver: zodResolver(schemaFor(t)),
  })
  const { errors, isDirty, isSubmitting } = formState
  const form = useWatch({ control }) as Form
  const keyState = useFreeKey(form.key, readNamespace)
  const create = async (form: Form) => {
    setFailure(undefined)
    try {
      await api.namespaces.create(form)
      await queryClient.invalidateQueries({ queryKey: namespacesQuery.queryKey })
      close()
      await navigate({ to: '/ns/$namespaceKey/flags', params: { namespaceKey: form.key } })
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
        <Field label={t.name} error={errors.name?.message}>
          {(ids) => (
            <TextInput
              {...ids}
              {...register('name', {
                onChange: ({ target }) => {
                  if (!isKeyTouched)
                    setValue('key', keyFor(target.value), { shouldValidate: formState.isSubmitted })
                },
              })}
              placeholder={t.namePlaceholder}
              autoComplete="off"
              autoFocus
            />
          )}
        </Field>
        <Field
          label={t.key}
          help={keyState === 'free' ? t.keyFree : t.keyHelp}
          error={errors.key?.message ?? (keyState === 'taken' ? t.keyTaken(form.key) : undefined)}
        >
          {(ids) => (
            <TextInput
              {...ids}
              {...register('key', { onChange: () => setKeyTouched(true) })}
              isMono
              autoComplete="off"
              spellCheck={false}
              end={keyState === 'free' && <Icon of={Check} className="text-on" />}
            />
          )}
        </Field>
        <Field label={t.description} mark={c.optional}>
          {(ids) => <TextInput {...ids} {...register('description')} autoComplete="off" />}
        </Field>
        <Controller
          control={control}
          name="color"
          render={({ field }) => (
            <ColorChoice
              label={t.color}
              value={field.value}
              names={t.colors}
              onChange={field.onChange}
            />
          )}
        />
        <Controller
          control={control}
          name="confirm"
          render={({ field }) => (
            <Checkbox isChecked={field.value} onChange={field.onChange}>
              {t.confirm}
              <span className="block text-12 text-muted">{t.confirmHelp}</span>
            </Checkbox>
          )}
        />
      </div>
    </Dialog>
  )
}
