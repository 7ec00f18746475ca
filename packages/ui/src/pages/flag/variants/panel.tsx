import type { VariantDocument } from '@svc/client/api'
import { useState } from 'react'
import { Button } from '../../../components/button.tsx'
import { Checkbox } from '../../../components/checkbox.tsx'
import { VariantKey } from '../../../components/chip.tsx'
import { CopyButton } from '../../../components/copy-key.tsx'
import { SidePanel } from '../../../components/dialog.tsx'
import { Field } from '../../../components/field.tsx'
import { hueOf } from '../../../components/hue.ts'
import { formatJson } from '../../../components/json-editor/json.ts'
import { JsonEditor } from '../../../components/json-editor/json-editor.tsx'
import { Note } from '../../../components/note.tsx'
import { TextInput } from '../../../components/text-input.tsx'
import { componentTexts } from '../../../components/texts.ts'
import { queryClient } from '../../../data/api.ts'
import { isEqual } from '../../../data/draft.ts'
import { isConflict, messageOf } from '../../../data/errors.ts'
import { flagDocumentQuery } from '../../../data/queries.ts'
import { useFormat, useTexts } from '../../../text/texts.ts'
import { useFlag } from '../here.ts'
import { maxBytes, readAttachment } from './attachment.ts'
import type { ReadFlag } from './delete-variant.tsx'
import { withVariant } from './edits.ts'
import { type Conflict, onTheirs } from './meanwhile.ts'
import { problemsOf } from './problems.ts'
import { useSaveVariants } from './save.ts'
import { variantsTexts } from './texts.ts'

interface Props {
  readonly read: ReadFlag
  /** The variant that is edited; nothing makes a new one. */
  readonly variant: VariantDocument | undefined
  readonly onClose: () => void
}

const fresh: VariantDocument = {
  id: '',
  key: '',
  name: '',
  description: '',
  attachment: '',
  default: false,
}

/** The editor of a variant, which is saved by itself. */
export default function VariantPanel({ read, variant, onClose }: Props) {
  const t = useTexts(variantsTexts)
  const c = useTexts(componentTexts)
  const format = useFormat()
  const { namespace, name, readOnlyReason } = useFlag()
  const saveVariants = useSaveVariants()
  /** What is saved is made from this, also when the page has read something newer. */
  const [base, setBase] = useState(read)
  const [before, setBefore] = useState(variant ?? withDefault(read))
  const [form, setForm] = useState(before)
  const [text, setText] = useState(() => formatJson(before.attachment))
  const [isAttempted, setAttempted] = useState(false)
  const [isBusy, setBusy] = useState(false)
  const [failure, setFailure] = useState<string>()
  const [conflict, setConflict] = useState<Conflict>()
  const { attachment, bytes } = readAttachment(text)
  const next = { ...form, attachment }
  const isDirty = !isEqual(next, before)
  const problems = problemsOf(next, text, base.flag, t, format, isAttempted)
  const place = base.flag.variants.findIndex(({ id }) => id === before.id)

  const set = (change: Partial<VariantDocument>) => setForm({ ...form, ...change })
  const save = async () => {
    setAttempted(true)
    const found = problemsOf(next, text, base.flag, t, format, true)
    if (Object.values(found).some((one) => one !== undefined) || isBusy) return
    if (readOnlyReason !== undefined) return
    setBusy(true)
    setFailure(undefined)
    setConflict(undefined)
    try {
      const { flag, etag } = base
      const say = before.id === '' ? t.created : t.saved
      await saveVariants(withVariant(flag, next), etag, say(next.key, name))
      onClose()
    } catch (error) {
      if (isConflict(error)) await readAnew().catch(() => setFailure(messageOf(error)))
      else setFailure(messageOf(error))
    } finally {
      setBusy(false)
    }
  }
  /** Others were first: what is typed stays, on what they have made. */
  const readAnew = async () => {
    const { value, etag } = await queryClient.fetchQuery({
      ...flagDocumentQuery(namespace.key, base.flag.key),
      staleTime: 0,
    })
    const meet = (form: VariantDocument) => onTheirs({ base: base.flag, before, form }, value.flag)
    setBase({ flag: value.flag, etag })
    setBefore(meet(form).before)
    // What was typed while it was read is there, too.
    setForm((typed) => meet(typed).form)
    setConflict(meet(form).conflict)
  }
  const takeTheirDefault = () => {
    set({ default: before.default })
    setConflict(undefined)
  }
  const takeTheirs = () => {
    setForm(before)
    setText(formatJson(before.attachment))
    setConflict(undefined)
  }
  return (
    <SidePanel
      isOpen
      isDirty={isDirty}
      onClose={onClose}
      onSubmit={() => void save()}
      title={before.id === '' ? t.newTitle : <VariantKey name={before.key} hue={hueOf(place)} />}
      footer={
        <>
          <Button onClick={onClose}>{c.cancel}</Button>
          <Button type="submit" look="primary" isBusy={isBusy} disabledReason={readOnlyReason}>
            {t.save}
          </Button>
        </>
      }
    >
      <div className="grid gap-5">
        {failure !== undefined && <Note kind="failure">{failure}</Note>}
        {conflict === 'elsewhere' && <Note kind="news">{t.othersElsewhere}</Note>}
        {conflict === 'deleted' && <Note kind="attention">{t.othersDeleted}</Note>}
        {conflict === 'default' && (
          <Note
            kind="attention"
            action={
              <Button size="small" onClick={takeTheirDefault}>
                {t.takeTheirs}
              </Button>
            }
          >
            {t.othersDefault}
          </Note>
        )}
        {conflict === 'here' && (
          <Note
            kind="attention"
            action={
              <Button size="small" onClick={takeTheirs}>
                {t.takeTheirs}
              </Button>
            }
          >
            {t.othersHere}
          </Note>
        )}
        <div className="grid grid-cols-2 gap-4 narrow:grid-cols-1">
          <Field label={t.key} error={problems.key} help={t.keyHelp}>
            {(ids) => (
              <TextInput
                {...ids}
                isMono
                value={form.key}
                autoComplete="off"
                spellCheck={false}
                autoCapitalize="off"
                autoFocus
                onChange={({ target }) => set({ key: target.value })}
              />
            )}
          </Field>
          <Field label={t.name} mark={c.optional} error={problems.name}>
            {(ids) => (
              <TextInput
                {...ids}
                value={form.name}
                autoComplete="off"
                onChange={({ target }) => set({ name: target.value })}
              />
            )}
          </Field>
        </div>
        <Field label={t.description} mark={c.optional} error={problems.description}>
          {(ids) => (
            <TextInput
              {...ids}
              value={form.description}
              autoComplete="off"
              onChange={({ target }) => set({ description: target.value })}
            />
          )}
        </Field>
        <Field
          label={t.attachment}
          mark="JSON"
          error={problems.attachment}
          help={t.size(format.number(bytes), format.number(maxBytes))}
          end={
            <span className="flex gap-1">
              <Button
                look="quiet"
                size="small"
                onClick={() => setText(formatJson(text))}
                disabledReason={problems.attachment}
              >
                {t.format}
              </Button>
              <CopyButton look="quiet" size="small" text={text} label={t.copyAttachment} />
            </span>
          }
        >
          {(ids) => (
            <JsonEditor ids={ids} name={t.attachment} value={text} onChange={setText} rows={9} />
          )}
        </Field>
        <Checkbox isChecked={form.default} onChange={(isDefault) => set({ default: isDefault })}>
          {t.defaultHelp}
        </Checkbox>
      </div>
    </SidePanel>
  )
}

/** The first variant of a flag is its default, unless that is taken back. */
function withDefault({ flag }: ReadFlag): VariantDocument {
  return { ...fresh, default: flag.variants.length === 0 }
}
