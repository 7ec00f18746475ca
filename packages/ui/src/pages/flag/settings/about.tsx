import { useState } from 'react'
import { Field } from '../../../components/field.tsx'
import { TextInput } from '../../../components/text-input.tsx'
import { ValuesField } from '../../../components/values-field.tsx'
import { tagsOf } from '../../../data/queries.ts'
import { useTexts } from '../../../text/texts.ts'
import { useFlag } from '../here.ts'
import { AtOnceField } from './at-once-field.tsx'
import { Entries, type SaveEntry } from './entries.tsx'
import { patchOf } from './metadata.ts'
import { flagSettingsTexts } from './texts.ts'
import { useSaveParts } from './writes.ts'

/** What the service takes: letters of a name, bytes of a description, tags and letters of each. */
const limits = { name: 255, descriptionBytes: 65_536, tags: 20, tag: 64 }

/** What a flag is called and what is noted of it. Each part is saved by itself. */
export function About() {
  const t = useTexts(flagSettingsTexts)
  const { flag, name, readOnlyReason } = useFlag()
  const { save, saveText, saveTags } = useSaveParts()
  const isReadOnly = readOnlyReason !== undefined
  const checkName = (text: string) =>
    text === '' ? t.nameMissing : text.length > limits.name ? t.tooLong : undefined
  const checkDescription = (text: string) =>
    new TextEncoder().encode(text).length > limits.descriptionBytes
      ? t.descriptionTooLong
      : undefined
  const saveEntry: SaveEntry = (before, after) => {
    const { patch, expect } = patchOf(before, after)
    const text =
      after === undefined
        ? t.entryRemoved(before?.name ?? '', name)
        : t.entrySaved(after.name, name)
    return save({ patch, ...(expect && { expect }) }, text)
  }
  return (
    <section className="grid gap-5">
      <h2 className="sr-only">{t.about}</h2>
      <div className="grid grid-cols-2 gap-4 narrow:grid-cols-1">
        <AtOnceField
          label={t.name}
          value={flag.name}
          isReadOnly={isReadOnly}
          check={checkName}
          onSave={(text, opened) => saveText('name', text, opened, t.renamed(text))}
        />
        <Field label={t.key} isReadOnly help={t.keyHelp}>
          {(ids) => <TextInput {...ids} isMono readOnly value={flag.key} />}
        </Field>
      </div>
      <AtOnceField
        label={t.description}
        isLong
        value={flag.description}
        isReadOnly={isReadOnly}
        check={checkDescription}
        onSave={(text, opened) => saveText('description', text, opened, t.described(name))}
      />
      <Tags
        tags={tagsOf(flag)}
        isReadOnly={isReadOnly}
        onSave={(next, shown) => saveTags(shown, next, t.tagged(name))}
      />
      <Entries metadata={flag.metadata} readOnlyReason={readOnlyReason} onSave={saveEntry} />
      <p className="text-12 text-muted">{t.savesItself}</p>
    </section>
  )
}

interface TagsProps {
  readonly tags: readonly string[]
  readonly isReadOnly: boolean
  /** @returns why it was refused */
  readonly onSave: (
    next: readonly string[],
    shown: readonly string[],
  ) => Promise<string | undefined>
}

/** Each tag is saved as it comes and goes. */
function Tags({ tags, isReadOnly, onSave }: TagsProps) {
  const t = useTexts(flagSettingsTexts)
  /** What is on its way to the service. */
  const [pending, setPending] = useState<readonly string[]>()
  const [problem, setProblem] = useState<string>()
  const save = async (next: readonly string[]) => {
    const isShorter = next.length < tags.length
    const wrong = next.some((tag) => tag.length > limits.tag)
      ? t.tagTooLong
      : next.length > limits.tags && !isShorter
        ? t.tooManyTags
        : undefined
    if (wrong !== undefined) return setProblem(wrong)
    setPending(next)
    setProblem(await onSave(next, tags))
    setPending(undefined)
  }
  return (
    <Field label={t.tags} isReadOnly={isReadOnly} error={problem} help={t.tagsHelp}>
      {(ids) => (
        <ValuesField
          ids={ids}
          values={pending ?? tags}
          onChange={(next) => {
            if (!isReadOnly && pending === undefined) void save(next)
          }}
          placeholder={t.tagsHint}
          isMono={false}
        />
      )}
    </Field>
  )
}
