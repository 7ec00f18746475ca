import type { JsonObject } from '@svc/client/api'
import { Plus, TriangleAlert, X } from 'lucide-react'
import { type FocusEvent, useEffect, useId, useRef, useState } from 'react'
import { Button } from '../../../components/button.tsx'
import { Icon } from '../../../components/icon.tsx'
import { TextInput } from '../../../components/text-input.tsx'
import { useFormat, useTexts } from '../../../text/texts.ts'
import { type Entry, entriesOf, problemOf } from './metadata.ts'
import { flagSettingsTexts } from './texts.ts'

/** @returns why it was refused */
export type SaveEntry = (
  before: Entry | undefined,
  after: Entry | undefined,
) => Promise<string | undefined>

interface Props {
  readonly metadata: JsonObject | undefined
  readonly readOnlyReason: string | undefined
  readonly onSave: SaveEntry
}

/** The metadata, an entry a line. A line is saved when it is left. */
export function Entries({ metadata, readOnlyReason, onSave }: Props) {
  const t = useTexts(flagSettingsTexts)
  const { number } = useFormat()
  const [isAdding, setAdding] = useState(false)
  const entries = entriesOf(metadata)
  const names = entries.map(({ name }) => name)
  const list = useRef<HTMLFieldSetElement>(null)
  /** The entry that is being removed: then the next one has the focus, or the button that adds one. */
  const removing = useRef<{ readonly name: string; readonly place: number }>(undefined)
  useEffect(() => {
    const { current } = removing
    if (current === undefined || names.includes(current.name)) return
    removing.current = undefined
    // The answer may be late: who has gone on keeps the focus.
    if (document.activeElement !== document.body) return
    const fields = list.current?.querySelectorAll<HTMLElement>('[data-entry-name]')
    const next = fields?.[Math.min(current.place, fields.length - 1)]
    ;(next ?? list.current?.querySelector<HTMLElement>('[data-add-entry]'))?.focus()
  })
  return (
    <fieldset ref={list} className="grid min-w-0 gap-2">
      <legend className="mb-1.5 text-13">
        <span className="font-medium">{t.metadata}</span>{' '}
        <span className="text-faint">({t.metadataMark})</span>
      </legend>
      {entries.map((entry, place) => (
        <EntryRow
          key={entry.name}
          entry={entry}
          nameLabel={t.entryName(number(place + 1))}
          valueLabel={t.entryValue(number(place + 1))}
          others={names.filter((name) => name !== entry.name)}
          readOnlyReason={readOnlyReason}
          onSave={onSave}
          onRemove={() => {
            removing.current = { name: entry.name, place }
            return onSave(entry, undefined)
          }}
        />
      ))}
      {isAdding && (
        <EntryRow
          entry={{ name: names.includes('owner') ? '' : 'owner', text: '', isJson: false }}
          isNew
          nameLabel={t.newEntryName}
          valueLabel={t.newEntryValue}
          others={names}
          readOnlyReason={readOnlyReason}
          onSave={async (_, after) => {
            const refused = await onSave(undefined, after)
            if (refused === undefined) setAdding(false)
            return refused
          }}
          onRemove={async () => {
            setAdding(false)
            removing.current = { name: '', place: entries.length }
            return undefined
          }}
        />
      )}
      <span className="flex flex-wrap items-center gap-3">
        {!isAdding && (
          <Button
            data-add-entry=""
            size="small"
            onClick={() => setAdding(true)}
            disabledReason={readOnlyReason}
          >
            <Icon of={Plus} small />
            {t.addEntry}
          </Button>
        )}
        <span className="text-12 text-muted">{t.metadataHelp}</span>
      </span>
    </fieldset>
  )
}

interface RowProps {
  readonly entry: Entry
  readonly isNew?: boolean
  readonly nameLabel: string
  readonly valueLabel: string
  readonly others: readonly string[]
  readonly readOnlyReason: string | undefined
  /** @param before the entry when its edit began: the service has to have that still */
  readonly onSave: (before: Entry, after: Entry) => Promise<string | undefined>
  readonly onRemove: () => Promise<string | undefined>
}

function EntryRow({
  entry,
  isNew = false,
  nameLabel,
  valueLabel,
  others,
  readOnlyReason,
  onSave,
  onRemove,
}: RowProps) {
  const t = useTexts(flagSettingsTexts)
  const id = useId()
  const [typed, setTyped] = useState(entry)
  const [known, setKnown] = useState(entry)
  const [opened, setOpened] = useState(entry)
  const [isLeft, setLeft] = useState(false)
  const [refused, setRefused] = useState<string>()
  if (known.text !== entry.text) {
    setKnown(entry)
    // What is typed just now stays, and so does what it began from, unless it is what is there now.
    if (typed.text === known.text || typed.text === entry.text) {
      setTyped(entry)
      setOpened(entry)
    }
  }
  const next = { ...typed, name: typed.name.trim() }
  const isChanged = next.name !== entry.name || next.text !== entry.text
  const problem = isChanged || isLeft ? problemOf(next, others) : undefined
  const isMissing = problem === 'noName' && !isLeft
  const error =
    problem === undefined || isMissing
      ? isChanged
        ? refused
        : undefined
      : t.entryProblems[problem]
  const save = async () => {
    if (readOnlyReason !== undefined || problemOf(next, others) !== undefined) return
    if (isNew ? next.text === '' : !isChanged) return
    setRefused(await onSave(opened, next))
  }
  const onBlur = ({ currentTarget, relatedTarget }: FocusEvent) => {
    if (currentTarget.contains(relatedTarget)) return
    if (isNew && next.text === '') return
    setLeft(true)
    void save()
  }
  const change = (change: Partial<Entry>) => {
    setTyped({ ...typed, ...change })
    // What others have made of it has been read by now.
    if (refused !== undefined) setOpened(entry)
    setRefused(undefined)
  }
  const shared = {
    readOnly: readOnlyReason !== undefined,
    autoComplete: 'off',
    'aria-invalid': error === undefined ? undefined : true,
    'aria-describedby': error === undefined ? undefined : id,
    onKeyDown: ({ key }: { readonly key: string }) => {
      if (key === 'Enter') void save()
      if (key === 'Escape') {
        setTyped(entry)
        setOpened(entry)
      }
    },
  }
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: it notices that both fields are left
    <div onBlur={onBlur} className="grid gap-1">
      <div className="grid grid-cols-[10rem_minmax(0,1fr)_auto] gap-2 narrow:grid-cols-[minmax(0,2fr)_minmax(0,3fr)_auto]">
        <TextInput
          {...shared}
          isMono
          aria-label={nameLabel}
          data-entry-name=""
          value={typed.name}
          spellCheck={false}
          autoCapitalize="off"
          autoFocus={isNew && entry.name === ''}
          onChange={({ target }) => change({ name: target.value })}
        />
        <TextInput
          {...shared}
          isMono={entry.isJson}
          aria-label={valueLabel}
          value={typed.text}
          autoFocus={isNew && entry.name !== ''}
          onChange={({ target }) => change({ text: target.value })}
        />
        <Button
          look="quiet"
          isIcon
          aria-label={isNew ? t.dropEntry : t.removeEntry(entry.name)}
          disabledReason={readOnlyReason}
          onClick={() => void onRemove().then(setRefused)}
        >
          <Icon of={X} />
        </Button>
      </div>
      {error !== undefined && (
        <span id={id} className="flex gap-1.5 text-12 text-danger">
          <Icon of={TriangleAlert} small className="mt-0.5" />
          {error}
        </span>
      )}
    </div>
  )
}
