import { zodResolver } from '@hookform/resolvers/zod'
import { SvcError } from '@svc/client/api'
import { useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import { Controller, useForm, useWatch } from 'react-hook-form'
import { useOfflineReason } from '../../../app/banner.tsx'
import { useDone } from '../../../app/done.tsx'
import { NameAndKey } from '../../../app/name-and-key/fields.tsx'
import { nameAndKeyTexts } from '../../../app/name-and-key/texts.ts'
import type { PageNamespace } from '../../../app/namespace.ts'
import { useShortcuts } from '../../../app/shortcuts.ts'
import { useMounted } from '../../../app/use-mounted.ts'
import { Bar } from '../../../components/bar.tsx'
import { Button } from '../../../components/button.tsx'
import { Badge } from '../../../components/chip.tsx'
import { ChoiceCards } from '../../../components/choice-cards.tsx'
import { Dialog } from '../../../components/dialog.tsx'
import { Field } from '../../../components/field.tsx'
import { Keys } from '../../../components/keys.tsx'
import { Note } from '../../../components/note.tsx'
import { TextInput } from '../../../components/text-input.tsx'
import { componentTexts } from '../../../components/texts.ts'
import { NamespaceName } from '../../../components/tile.tsx'
import { ValuesField } from '../../../components/values-field.tsx'
import { api } from '../../../data/api.ts'
import { messageOf } from '../../../data/errors.ts'
import { apply } from '../../../data/flag-writes.ts'
import { useFreeKey } from '../../../data/free-key.ts'
import { keyFor } from '../../../data/keys.ts'
import { Rich } from '../../../text/rich.tsx'
import { useTexts } from '../../../text/texts.ts'
import { type NewFlagForm, schemaFor, toDocument } from './form.ts'
import { Snippet } from './snippet.tsx'
import { newFlagTexts } from './texts.ts'

interface Props {
  readonly namespace: PageNamespace
  readonly type: NewFlagForm['type']
  /** What was looked for and not found. */
  readonly name: string
  readonly onClose: () => void
}

export default function NewFlag({ namespace, type, name, onClose }: Props) {
  const t = useTexts(newFlagTexts)
  const n = useTexts(nameAndKeyTexts)
  const c = useTexts(componentTexts)
  const navigate = useNavigate()
  const isMounted = useMounted()
  const done = useDone()
  const offlineReason = useOfflineReason()
  const [failure, setFailure] = useState<string>()
  const { control, register, handleSubmit, setValue, setError, formState } = useForm<NewFlagForm>({
    mode: 'onTouched',
    defaultValues: { type, name, key: keyFor(name), description: '', tags: [], variants: [] },
    resolver: zodResolver(schemaFor(t, n)),
  })
  const { errors, isSubmitting, isDirty } = formState
  const form = useWatch({ control }) as NewFlagForm
  const [read] = useState(
    () => (key: string, signal: AbortSignal) =>
      api.flags.get({ namespaceKey: namespace.key, key }, { signal }),
  )
  const keyState = useFreeKey(form.key, read)
  const keyError = errors.key?.message ?? (keyState === 'taken' ? t.keyTaken(form.key) : undefined)

  const create = async (form: NewFlagForm) => {
    setFailure(undefined)
    try {
      const { revision } = await apply(namespace.key, [
        { kind: 'FLAG_KIND', key: form.key, flag: toDocument(form), ifRevision: 0 },
      ])
      const params = { namespaceKey: namespace.key, flagKey: form.key }
      if (isMounted()) await navigate({ to: '/ns/$namespaceKey/flags/$flagKey', params })
      done(<Rich text={t.created(form.name, namespace.name)} />, {
        namespaceKey: namespace.key,
        revision,
        onUndone: () => void navigate({ to: '/ns/$namespaceKey/flags', params }),
      })
    } catch (error) {
      const isTaken = error instanceof SvcError && (error.status === 409 || error.status === 412)
      if (isTaken) setError('key', { message: t.keyTaken(form.key) }, { shouldFocus: true })
      else setFailure(messageOf(error))
    }
  }
  const submit = () => {
    if (offlineReason === undefined && !isSubmitting) void handleSubmit(create)()
  }
  useShortcuts({ 'mod+Enter': submit })

  return (
    <Dialog
      isOpen
      size="wide"
      isDirty={isDirty}
      onClose={onClose}
      onSubmit={submit}
      title={
        <>
          {t.titleIn} <NamespaceName namespace={namespace} />
        </>
      }
      footer={
        <>
          <span className="flex-1 text-12 text-muted">
            {form.type === 'boolean'
              ? t.startsOff
              : form.variants[0] !== undefined && t.startsWith(form.variants[0])}
          </span>
          <Button onClick={onClose}>{c.cancel}</Button>
          <Button
            type="submit"
            look="primary"
            isBusy={isSubmitting}
            disabledReason={offlineReason}
            aria-keyshortcuts="Control+Enter Meta+Enter"
          >
            {t.create}
            <Keys of="mod enter" onInk className="narrow:hidden" />
          </Button>
        </>
      }
    >
      <div className="grid grid-cols-[minmax(0,1fr)] gap-5">
        {failure !== undefined && <Note kind="failure">{failure}</Note>}
        <Controller
          control={control}
          name="type"
          render={({ field }) => (
            <ChoiceCards
              label={t.need}
              value={field.value}
              onChange={field.onChange}
              choices={[
                {
                  value: 'boolean',
                  title: t.yesNo,
                  badge: <Badge>{t.boolean}</Badge>,
                  children: (
                    <>
                      {t.yesNoText}
                      <Bar shares={[{ name: 'on', hue: 'on', percentage: 25 }]} />
                    </>
                  ),
                },
                {
                  value: 'variant',
                  title: t.several,
                  badge: <Badge>{t.variant}</Badge>,
                  children: (
                    <>
                      {t.severalText}
                      <Bar
                        shares={[
                          { name: '1', hue: 'v1', percentage: 50 },
                          { name: '2', hue: 'v2', percentage: 30 },
                          { name: '3', hue: 'v3', percentage: 20 },
                        ]}
                      />
                    </>
                  ),
                },
              ]}
            />
          )}
        />
        <NameAndKey
          name={{ ...register('name'), placeholder: t.namePlaceholder, autoFocus: true }}
          keyProps={register('key')}
          nameError={errors.name?.message}
          keyError={keyError}
          keyState={keyState}
          onDerivedKey={(key) => setValue('key', key, { shouldValidate: formState.isSubmitted })}
        />
        {form.type === 'variant' && (
          <Controller
            control={control}
            name="variants"
            render={({ field }) => (
              <Field
                label={t.variants}
                help={t.variantsHelp}
                error={errors.variants?.message ?? errors.variants?.find?.((one) => one)?.message}
              >
                {(ids) => (
                  <ValuesField
                    ids={ids}
                    values={field.value}
                    onChange={field.onChange}
                    placeholder={t.variantsPlaceholder}
                  />
                )}
              </Field>
            )}
          />
        )}
        <Field label={t.description} mark={c.optional}>
          {(ids) => (
            <TextInput
              {...ids}
              {...register('description')}
              placeholder={t.descriptionPlaceholder}
              autoComplete="off"
            />
          )}
        </Field>
        <Controller
          control={control}
          name="tags"
          render={({ field }) => (
            <Field label={t.tags} mark={c.optional}>
              {(ids) => (
                <ValuesField
                  ids={ids}
                  values={field.value}
                  onChange={field.onChange}
                  placeholder={t.tagsPlaceholder}
                  isMono={false}
                />
              )}
            </Field>
          )}
        />
        <Snippet
          flagKey={form.key || 'express-delivery'}
          type={form.type}
          variant={form.variants[0] ?? 'control'}
        />
      </div>
    </Dialog>
  )
}
