import { zodResolver } from '@hookform/resolvers/zod'
import type { SegmentDocument } from '@svc/client/api'
import { useState } from 'react'
import { useForm } from 'react-hook-form'
import * as z from 'zod/mini'
import { useOfflineReason } from '../../app/banner.tsx'
import { useDone } from '../../app/done.tsx'
import type { PageNamespace } from '../../app/namespace.ts'
import { Button } from '../../components/button.tsx'
import { Dialog } from '../../components/dialog.tsx'
import { Field } from '../../components/field.tsx'
import { Note } from '../../components/note.tsx'
import { TextArea, TextInput } from '../../components/text-input.tsx'
import { componentTexts } from '../../components/texts.ts'
import { NamespaceName } from '../../components/tile.tsx'
import { queryClient } from '../../data/api.ts'
import { messageOf } from '../../data/errors.ts'
import { apply } from '../../data/flag-writes.ts'
import { segmentDocumentQuery } from '../../data/queries.ts'
import { Rich } from '../../text/rich.tsx'
import { useTexts } from '../../text/texts.ts'
import { segmentTexts } from './texts.ts'

interface Props {
  readonly namespace: PageNamespace
  readonly segment: SegmentDocument
  readonly onClose: () => void
  readonly onSaved: (segment: SegmentDocument, etag: string | undefined) => void
}

/** The name and the description, which are saved at once: a draft of the constraints stays. */
export default function Details({ namespace, segment, onClose, onSaved }: Props) {
  const t = useTexts(segmentTexts)
  const c = useTexts(componentTexts)
  const done = useDone()
  const offlineReason = useOfflineReason()
  const [failure, setFailure] = useState<string>()
  const { key, name, description } = segment
  const { register, handleSubmit, formState } = useForm({
    mode: 'onTouched',
    defaultValues: { name, description },
    resolver: zodResolver(
      z.object({
        name: z
          .string()
          .check(z.trim(), z.minLength(1, t.nameMissing), z.maxLength(255, t.tooLong)),
        description: z.string().check(z.trim()),
      }),
    ),
  })
  const { errors, isSubmitting, isDirty } = formState
  const save = async (patch: { readonly name: string; readonly description: string }) => {
    setFailure(undefined)
    try {
      const { revision } = await apply(namespace.key, [
        { kind: 'SEGMENT_KIND', key, patch, expect: { name, description } },
      ])
      const { value, etag } = await queryClient.fetchQuery({
        ...segmentDocumentQuery(namespace.key, key),
        staleTime: 0,
      })
      onSaved(value.segment, etag)
      onClose()
      done(<Rich text={t.detailsSaved(patch.name)} />, { namespaceKey: namespace.key, revision })
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
          {t.detailsTitle(name || key)} <NamespaceName namespace={namespace} />
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
        <Field label={t.name} error={errors.name?.message}>
          {(ids) => <TextInput {...ids} {...register('name')} autoComplete="off" autoFocus />}
        </Field>
        <Field label={t.description} mark={c.optional}>
          {(ids) => <TextArea {...ids} {...register('description')} />}
        </Field>
      </div>
    </Dialog>
  )
}
