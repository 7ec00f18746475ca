import { zodResolver } from '@hookform/resolvers/zod'
import type { SegmentDocument } from '@svc/client/api'
import { useState } from 'react'
import { useForm } from 'react-hook-form'
import * as z from 'zod/mini'
import { useOfflineReason } from '../../app/banner.tsx'
import { useDone } from '../../app/done.tsx'
import { changedMeanwhile, editedOf } from '../../app/edited.ts'
import type { PageNamespace } from '../../app/namespace.ts'
import { Button } from '../../components/button.tsx'
import { Dialog } from '../../components/dialog.tsx'
import { Field } from '../../components/field.tsx'
import { Note } from '../../components/note.tsx'
import { TextArea, TextInput } from '../../components/text-input.tsx'
import { componentTexts } from '../../components/texts.ts'
import { NamespaceName } from '../../components/tile.tsx'
import { queryClient } from '../../data/api.ts'
import { isConflict, messageOf } from '../../data/errors.ts'
import { apply } from '../../data/flag-writes.ts'
import { segmentDocumentQuery } from '../../data/queries.ts'
import { Rich } from '../../text/rich.tsx'
import { useTexts } from '../../text/texts.ts'
import { segmentTexts } from './texts.ts'

type Words = Pick<SegmentDocument, 'name' | 'description'>

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
  /** What the edit began from, or what was said that others have made of it. */
  const [opened, setOpened] = useState<Words>(segment)
  const { key, name } = segment
  const query = segmentDocumentQuery(namespace.key, key)
  const { register, handleSubmit, formState } = useForm({
    mode: 'onTouched',
    defaultValues: { name, description: segment.description },
    resolver: zodResolver(
      z.object({
        name: z
          .string()
          .check(z.trim(), z.minLength(1, t.nameMissing), z.maxLength(255, t.tooLong)),
        description: z.string().check(z.trim()),
      }),
    ),
  })
  const { errors, isSubmitting, isDirty, dirtyFields } = formState
  const read = () => queryClient.fetchQuery({ ...query, staleTime: 0 })
  /** Fails when others have changed what is edited since it was as before. */
  const write = async (patch: Partial<Words>, before: Words) => {
    const expect = editedOf(before, dirtyFields)
    const operation = { kind: 'SEGMENT_KIND', key, patch, expect } as const
    const { revision } = await apply(namespace.key, [operation])
    const { value, etag } = await read()
    onSaved(value.segment, etag)
    onClose()
    done(<Rich text={t.detailsSaved(value.segment.name)} />, {
      namespaceKey: namespace.key,
      revision,
      onUndone: () => {
        const now = queryClient.getQueryData(query.queryKey)
        if (now !== undefined) onSaved(now.value.segment, now.etag)
      },
    })
  }
  const save = async (words: Words) => {
    setFailure(undefined)
    const patch = editedOf(words, dirtyFields)
    if (Object.keys(patch).length === 0) return onClose()
    try {
      await write(patch, opened).catch(async (error: unknown) => {
        if (!isConflict(error)) throw error
        const { segment: now } = (await read()).value
        const theirs = changedMeanwhile<Words>(opened, patch, now)
        // They have made of it what was typed here, or a save did whose answer did not come.
        if (theirs.length === 0) return await write(patch, now)
        const texts = theirs.map((part) => c.theirs(t[part], now[part]))
        setOpened(now)
        setFailure(c.changedMeanwhile(texts.join(', ')))
      })
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
