import { zodResolver } from '@hookform/resolvers/zod'
import type { CreateTokenResponse } from '@svc/client/api'
import { useQuery } from '@tanstack/react-query'
import { ChevronRight } from 'lucide-react'
import { useState } from 'react'
import { Controller, useForm, useWatch } from 'react-hook-form'
import { useOfflineReason } from '../../../app/banner.tsx'
import { Button } from '../../../components/button.tsx'
import { Checkbox } from '../../../components/checkbox.tsx'
import { ChoiceCards } from '../../../components/choice-cards.tsx'
import { Dialog } from '../../../components/dialog.tsx'
import { Field } from '../../../components/field.tsx'
import { Icon } from '../../../components/icon.tsx'
import { Note } from '../../../components/note.tsx'
import { Segmented } from '../../../components/tabs.tsx'
import { TextInput } from '../../../components/text-input.tsx'
import { componentTexts } from '../../../components/texts.ts'
import { ValuesField } from '../../../components/values-field.tsx'
import { api, queryClient } from '../../../data/api.ts'
import { messageOf } from '../../../data/errors.ts'
import { usePreferences } from '../../../data/preferences.ts'
import { namespacesQuery } from '../../../data/queries.ts'
import { makersQuery } from '../../../data/tokens.ts'
import { useFormat, useTexts } from '../../../text/texts.ts'
import { expiryOf, presets, toLocalInput } from './expiry.ts'
import { type CreateTokenForm, schemaFor, toRequest } from './form.ts'
import { NamespaceChoice } from './namespace-choice.tsx'
import { createTokenTexts } from './texts.ts'

interface Props {
  readonly onClose: () => void
  /** Gets the answer with the secret, which is in nothing else. */
  readonly onCreated: (answer: CreateTokenResponse) => void
}

const zone = Intl.DateTimeFormat().resolvedOptions().timeZone
const dayMs = 24 * 3600_000

export default function CreateToken({ onClose, onCreated }: Props) {
  const t = useTexts(createTokenTexts)
  const c = useTexts(componentTexts)
  const { moment } = useFormat()
  const offlineReason = useOfflineReason()
  const { namespaceKey } = usePreferences()
  const { data: namespaces = [] } = useQuery(namespacesQuery)
  const [openedAt] = useState(Date.now)
  const [failure, setFailure] = useState<string>()
  const shown = namespaces.find(({ key }) => key === namespaceKey) ?? namespaces[0]
  const { control, register, handleSubmit, setError, formState } = useForm<CreateTokenForm>({
    mode: 'onTouched',
    defaultValues: {
      name: '',
      description: '',
      scope: 'one',
      namespaceKey: shown?.key ?? namespaceKey,
      preset: '90d',
      date: toLocalInput(openedAt + 30 * dayMs),
      isSure: false,
      addresses: [],
    },
    resolver: zodResolver(schemaFor(t, Date.now)),
  })
  const { errors, isDirty, isSubmitting } = formState
  const form = useWatch({ control }) as CreateTokenForm
  const expiresAt = expiryOf(form, openedAt)

  const create = async (form: CreateTokenForm) => {
    setFailure(undefined)
    try {
      onCreated(await api.tokens.create(toRequest(form, Date.now())))
      await Promise.all([
        queryClient.invalidateQueries({ queryKey: ['tokens'] }),
        queryClient.invalidateQueries({ queryKey: makersQuery.queryKey }),
      ])
    } catch (error) {
      const message = messageOf(error)
      if (/allowedAddresses/i.test(message)) setError('addresses', { message })
      else setFailure(message)
    }
  }
  return (
    <Dialog
      isOpen
      isDirty={isDirty}
      onClose={onClose}
      onSubmit={() => {
        if (offlineReason === undefined && !isSubmitting) void handleSubmit(create)()
      }}
      title={t.title}
      footer={
        <>
          <Button onClick={onClose}>{c.cancel}</Button>
          <Button type="submit" look="primary" isBusy={isSubmitting} disabledReason={offlineReason}>
            {t.create}
          </Button>
        </>
      }
    >
      <div className="grid gap-5">
        {failure !== undefined && <Note kind="failure">{failure}</Note>}
        <Field label={t.name} error={errors.name?.message}>
          {(ids) => (
            <TextInput
              {...ids}
              {...register('name')}
              placeholder={t.namePlaceholder}
              autoComplete="off"
              autoFocus
            />
          )}
        </Field>
        <Field label={t.description} mark={c.optional} error={errors.description?.message}>
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
          name="scope"
          render={({ field }) => (
            <ChoiceCards
              label={t.scope}
              value={field.value}
              onChange={field.onChange}
              choices={[
                { value: 'one', title: t.one, children: t.oneHelp },
                { value: 'all', title: t.all, children: t.allHelp },
              ]}
            />
          )}
        />
        {form.scope === 'one' && (
          <Controller
            control={control}
            name="namespaceKey"
            render={({ field }) => (
              <NamespaceChoice
                label={t.namespace}
                namespaces={namespaces}
                value={field.value}
                onChange={field.onChange}
              />
            )}
          />
        )}
        <div className="grid gap-2">
          <Controller
            control={control}
            name="preset"
            render={({ field }) => (
              <div className="grid justify-items-start gap-1.5">
                <span className="text-13 font-medium" aria-hidden="true">
                  {t.expires}
                </span>
                <Segmented
                  label={t.expires}
                  value={field.value}
                  onChange={field.onChange}
                  choices={presets.map((preset) => [preset, t.presets[preset]])}
                />
              </div>
            )}
          />
          {form.preset === 'date' && (
            <Field label={t.date(zone)} error={errors.date?.message}>
              {(ids) => (
                <TextInput
                  {...ids}
                  {...register('date')}
                  type="datetime-local"
                  min={toLocalInput(openedAt)}
                />
              )}
            </Field>
          )}
          {form.preset === 'never' && <Never control={control} error={errors.isSure?.message} />}
          {expiresAt?.includes('T') && (
            <span role="status" className="text-12 text-muted">
              {t.on(moment(expiresAt))}
            </span>
          )}
        </div>
        <details className="group text-13">
          <summary className="flex min-h-6 cursor-pointer list-none items-center gap-1.5">
            <Icon of={ChevronRight} small className="transition-transform group-open:rotate-90" />
            {t.addresses}
          </summary>
          <div className="mt-3">
            <Controller
              control={control}
              name="addresses"
              render={({ field }) => (
                <Field
                  label={t.addressesLabel}
                  help={t.addressesHelp}
                  error={errors.addresses?.message}
                >
                  {(ids) => (
                    <ValuesField
                      ids={ids}
                      values={field.value}
                      onChange={field.onChange}
                      placeholder="10.20.0.0/16"
                    />
                  )}
                </Field>
              )}
            />
          </div>
        </details>
      </div>
    </Dialog>
  )
}

/** Has to be ticked: it is a choice of some weight. */
function Never({
  control,
  error,
}: {
  readonly control: ReturnType<typeof useForm<CreateTokenForm>>['control']
  readonly error: string | undefined
}) {
  const t = useTexts(createTokenTexts)
  return (
    <Controller
      control={control}
      name="isSure"
      render={({ field }) => (
        <div className="grid gap-1">
          <Checkbox isChecked={field.value} onChange={field.onChange}>
            {t.never}
            <span className="block text-12 text-muted">{t.neverHelp}</span>
          </Checkbox>
          {error !== undefined && (
            <span role="alert" className="ps-6 text-12 text-danger">
              {error}
            </span>
          )}
        </div>
      )}
    />
  )
}
