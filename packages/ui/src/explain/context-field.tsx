import clsx from 'clsx'
import { Plus, X } from 'lucide-react'
import { useId, useRef, useState } from 'react'
import { Button } from '../components/button.tsx'
import { Icon } from '../components/icon.tsx'
import { formatJson } from '../components/json-editor/json.ts'
import { JsonEditor } from '../components/json-editor/json-editor.tsx'
import { Segmented } from '../components/tabs.tsx'
import { useTexts } from '../text/texts.ts'
import { addProperty, type ContextRow, readContext, rowsOf, writeRows } from './context.ts'
import { explainTexts } from './texts.ts'

interface Props {
  /** JSON, or empty. */
  readonly value: string
  readonly onChange: (value: string) => void
  /** Properties that the flag asks about and the context does not have. */
  readonly missing: readonly string[]
  readonly rows?: number
}

/** What is known of an entity, as rows or as JSON. */
export function ContextField({ value, onChange, missing, rows = 5 }: Props) {
  const t = useTexts(explainTexts)
  const id = useId()
  const context = readContext(value)
  const asRows = context && rowsOf(context)
  const [preferred, setPreferred] = useState<'fields' | 'json'>('fields')
  const form = asRows === undefined ? 'json' : preferred
  const turn = (next: 'fields' | 'json') => {
    setPreferred(next)
    if (next === 'json' && context !== undefined) onChange(formatJson(value))
  }
  return (
    <div className="grid min-w-0 gap-1.5">
      <div className="flex min-h-6 items-center gap-2">
        <label htmlFor={form === 'json' ? id : undefined} className="flex-1 text-13 font-medium">
          {t.context}
        </label>
        <Segmented
          label={t.contextForm}
          value={form}
          onChange={turn}
          choices={[
            ['fields', t.fields],
            ['json', t.json],
          ]}
        />
      </div>
      {form === 'json' ? (
        <JsonEditor
          ids={{
            id,
            'aria-describedby': `${id}-note`,
            'aria-invalid': context === undefined || undefined,
          }}
          name={t.context}
          value={value}
          onChange={onChange}
          rows={rows}
        />
      ) : (
        <Rows value={value} shown={asRows ?? []} onChange={onChange} />
      )}
      <p
        id={`${id}-note`}
        className={clsx(
          'text-12 empty:hidden',
          context === undefined ? 'text-danger' : 'text-muted',
        )}
      >
        {context === undefined
          ? t.notAnObject
          : form === 'json' && preferred === 'fields'
            ? t.nestedInJson
            : ''}
      </p>
      {missing.length > 0 && context !== undefined && (
        <p className="flex flex-wrap items-center gap-x-2 text-12 text-muted">
          {t.usedHere}
          {missing.slice(0, maxMissing).map((property) => (
            <button
              key={property}
              type="button"
              className="min-h-6 max-w-full truncate font-mono text-accent underline decoration-accent-line underline-offset-[0.2em] hover:decoration-current"
              aria-label={t.addToContext(property)}
              onClick={() => onChange(addProperty(value, property))}
            >
              {property}
            </button>
          ))}
        </p>
      )}
    </div>
  )
}

/** Properties that are offered at once. */
const maxMissing = 6

/** A row with a name of its own, so that it stays the same while others come and go. */
interface KeptRow extends ContextRow {
  readonly id: number
}

function Rows({
  value,
  shown,
  onChange,
}: {
  readonly value: string
  readonly shown: readonly ContextRow[]
  readonly onChange: (value: string) => void
}) {
  const t = useTexts(explainTexts)
  const table = useRef<HTMLDivElement>(null)
  const [next, setNext] = useState(shown.length)
  const [kept, setKept] = useState<readonly KeptRow[]>(() => withIds(shown, 0))
  // Rows without a name are not in the value, and two may have the same one while they are typed.
  const [written, setWritten] = useState(value)
  if (written !== value) {
    setWritten(value)
    setKept(withIds(shown, next))
    setNext(next + shown.length)
  }
  // There is always one to type into.
  const rows = kept.length === 0 ? [{ id: next, property: '', value: '' }] : kept
  const write = (changed: readonly KeptRow[]) => {
    const text = writeRows(changed)
    setKept(changed)
    setWritten(text)
    onChange(text)
  }
  const edit = (id: number, change: Partial<ContextRow>) => {
    if (kept.length === 0) setNext(next + 1)
    write(rows.map((row) => (row.id === id ? { ...row, ...change } : row)))
  }
  const add = () => {
    // The row that is always there has the next number until it is kept.
    const id = kept.length === 0 ? next + 1 : next
    setKept([...rows, { id, property: '', value: '' }])
    setNext(id + 1)
    requestAnimationFrame(() => {
      const inputs = table.current?.querySelectorAll<HTMLInputElement>('[data-property]')
      inputs?.[inputs.length - 1]?.focus()
    })
  }
  const remove = (id: number) => {
    const place = rows.findIndex((row) => row.id === id)
    write(rows.filter((row) => row.id !== id))
    requestAnimationFrame(() => {
      const inputs = table.current?.querySelectorAll<HTMLInputElement>('[data-property]')
      inputs?.[Math.min(place, inputs.length - 1)]?.focus()
    })
  }
  const input =
    'h-8.5 min-w-0 bg-transparent px-3 font-mono text-12 outline-none focus-visible:outline-2 focus-visible:-outline-offset-2 focus-visible:outline-focus touch:h-11'
  return (
    <div ref={table} className="overflow-clip rounded-2 border border-control bg-raised">
      {rows.map(({ id, property, value }) => (
        <div
          key={id}
          className="grid grid-cols-[minmax(5rem,2fr)_minmax(0,3fr)_auto] items-center border-b border-line"
        >
          <input
            data-property=""
            className={clsx(input, 'text-code-key')}
            aria-label={t.property}
            placeholder={t.property}
            value={property}
            autoComplete="off"
            autoCapitalize="off"
            spellCheck={false}
            onChange={({ target }) => edit(id, { property: target.value })}
          />
          <input
            className={clsx(input, 'border-s border-line')}
            aria-label={property === '' ? t.value : t.valueOf(property)}
            placeholder={t.value}
            value={value}
            autoComplete="off"
            autoCapitalize="off"
            spellCheck={false}
            onChange={({ target }) => edit(id, { value: target.value })}
          />
          {kept.length > 0 && (
            <span className="px-1">
              <Button
                look="quiet"
                size="small"
                isIcon
                aria-label={t.remove(property)}
                onClick={() => remove(id)}
              >
                <Icon of={X} small />
              </Button>
            </span>
          )}
        </div>
      ))}
      <div className="px-1.5 py-1">
        <Button look="quiet" size="small" onClick={add}>
          <Icon of={Plus} small />
          {t.addProperty}
        </Button>
      </div>
    </div>
  )
}

function withIds(rows: readonly ContextRow[], first: number): readonly KeptRow[] {
  return rows.map((row, place) => ({ ...row, id: first + place }))
}
