import { zodResolver } from '@hookform/resolvers/zod'
import { SvcError } from '@svc/client/api'
import { useNavigate } from '@tanstack/react-router'
import { TriangleAlert } from 'lucide-react'
import { useState } from 'react'
import { Controller, useForm, useWatch } from 'react-hook-form'
import { useOfflineReason } from '../../app/banner.tsx'
import { useDone } from '../../app/done.tsx'
import { NameAndKey } from '../../app/name-and-key/fields.tsx'
import { nameAndKeyTexts } from '../../app/name-and-key/texts.ts'
import type { PageNamespace } from '../../app/namespace.ts'
import { useShortcuts } from '../../app/shortcuts.ts'
import { useMounted } from '../../app/use-mounted.ts'
import { Button } from '../../components/button.tsx'
import { ChoiceCards } from '../../components/choice-cards.tsx'
import { Dialog } from '../../components/dialog.tsx'
import { Field } from '../../components/field.tsx'
import { Icon } from '../../components/icon.tsx'
import { Keys } from '../../components/keys.tsx'
import { Note } from '../../components/note.tsx'
import { TextInput } from '../../components/text-input.tsx'
import { componentTexts } from '../../components/texts.ts'
import { NamespaceName } from '../../components/tile.tsx'
import { api } from '../../data/api.ts'
import { messageOf } from '../../data/errors.ts'
import { apply } from '../../data/flag-writes.ts'
import { useFreeKey } from '../../data/free-key.ts'
import { keyFor } from '../../data/keys.ts'
import { Rich } from '../../text/rich.tsx'
import { useTexts } from '../../text/texts.ts'
import { type NewSegmentForm, schemaFor, toDocument } from './form.ts'
import { segmentsTexts } from './texts.ts'

interface Props {
  readonly namespace: PageNamespace
  /** What was looked for and not found. */
  readonly name: string
  readonly onClose: () => void
}

export default function NewSegment({ namespace, name, onClose }: Props) {
  const t = useTexts(segmentsTexts)
  const n = useTexts(nameAndKeyTexts)
  const c = useTexts(componentTexts)
  const navigate = useNavigate()
  const isMounted = useMounted()
  const done = useDone()
  const offlineReason = useOfflineReason()
  const [failure, setFailure] = useState<string>()
  const { control, register, handleSubmit, setValue, setError, formState } =
    useForm<NewSegmentForm>({
      mode: 'onTouched',
      defaultValues: { name, key: keyFor(name), description: '', match: 'all' },
      resolver: zodResolver(schemaFor(n)),
    })
  const { errors, isSubmitting, isDirty } = formState
  const key = useWatch({ control, name: 'key' })
  const [read] = useState(
    () => (key: string, signal: AbortSignal) =>
      api.segments.get({ namespaceKey: namespace.key, key }, { signal }),
  )
  const keyState = useFreeKey(key, read)
  const keyError = errors.key?.message ?? (keyState === 'taken' ? t.keyTaken(key) : undefined)

  const create = async (form: NewSegmentForm) => {
    setFailure(undefined)
    try {
      const { revision } = await apply(namespace.key, [
        { kind: 'SEGMENT_KIND', key: form.key, segment: toDocument(form), ifRevision: 0 },
      ])
      const params = { namespaceKey: namespace.key, segmentKey: form.key }
      if (isMounted()) await navigate({ to: '/ns/$namespaceKey/segments/$segmentKey', params })
      done(<Rich text={t.created(form.name, namespace.name)} />, {
        namespaceKey: namespace.key,
        revision,
        onUndone: () => void navigate({ to: '/ns/$namespaceKey/segments', params }),
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
          <span className="flex min-w-40 flex-1 items-center gap-1.5 text-12 text-draft narrow:basis-full">
            <Icon of={TriangleAlert} small />
            {t.startsEveryone}
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
      <div className="grid gap-5">
        {failure !== undefined && <Note kind="failure">{failure}</Note>}
        <NameAndKey
          name={{ ...register('name'), placeholder: t.namePlaceholder, autoFocus: true }}
          keyProps={register('key')}
          nameError={errors.name?.message}
          keyError={keyError}
          keyState={keyState}
          onDerivedKey={(key) => setValue('key', key, { shouldValidate: formState.isSubmitted })}
        />
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
          name="match"
          render={({ field }) => (
            <ChoiceCards
              label={t.match1}
              value={field.value}
              onChange={field.onChange}
              choices={[
                { value: 'all', title: t.matchAll, children: t.matchAllText },
                { value: 'any', title: t.matchAny, children: t.matchAnyText },
              ]}
            />
          )}
        />
      </div>
    </Dialog>
  )
}
