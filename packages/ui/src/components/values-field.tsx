import clsx from 'clsx'
import { type ClipboardEvent, type KeyboardEvent, useRef, useState } from 'react'
import { useFormat, useTexts } from '../text/texts.ts'
import { Chip } from './chip.tsx'
import type { FieldIds } from './field.tsx'
import { componentTexts } from './texts.ts'

interface Props {
  readonly values: readonly string[]
  readonly onChange: (values: readonly string[]) => void
  readonly ids?: FieldIds
  readonly name?: string
  readonly placeholder?: string
  readonly isMono?: boolean
  /** How many are shown; more are a number. @default 100 */
  readonly max?: number
  /** Values that are offered. */
  readonly suggestions?: readonly string[]
  readonly listId?: string
}

/** How long a value that is there already shakes, in milliseconds. */
const shakeMs = 600

/**
 * Values as chips. Enter and a comma add one, Backspace takes the last one out, and a pasted column or list
 * becomes one value for each line or part.
 */
export function ValuesField({
  values,
  onChange,
  ids,
  name,
  placeholder,
  isMono = true,
  max = 100,
  suggestions = [],
  listId,
}: Props) {
  const t = useTexts(componentTexts)
  const format = useFormat()
  const input = useRef<HTMLInputElement>(null)
  const chips = useRef<HTMLSpanElement>(null)
  const [typed, setTyped] = useState('')
  const [shaking, setShaking] = useState<string>()
  const [said, setSaid] = useState('')

  const add = (texts: readonly string[]) => {
    const wanted = texts.map((text) => text.trim()).filter((text) => text !== '')
    const fresh = [...new Set(wanted)].filter((text) => !values.includes(text))
    const there = wanted.length - fresh.length
    if (fresh.length > 0) onChange([...values, ...fresh])
    const [only = ''] = wanted
    if (wanted.length === 1 && there === 1) {
      setSaid(t.isThere(only))
      setShaking(only)
      setTimeout(() => setShaking(undefined), shakeMs)
    } else if (wanted.length > 1) {
      const added = format.number(fresh.length)
      setSaid(there === 0 ? t.added(added) : t.addedSome(added, format.number(there)))
    } else setSaid('')
    setTyped('')
  }

  const onKeyDown = (event: KeyboardEvent<HTMLInputElement>) => {
    if ((event.key === 'Enter' || event.key === ',') && typed.trim() !== '') {
      event.preventDefault()
      add([typed])
    } else if (event.key === 'Backspace' && typed === '' && values.length > 0) {
      onChange(values.slice(0, -1))
    } else if (event.key === 'ArrowLeft' && typed === '') {
      const buttons = chips.current?.querySelectorAll('button')
      buttons?.[buttons.length - 1]?.focus()
    }
  }

  const walk = (event: KeyboardEvent<HTMLSpanElement>) => {
    if (!(event.target instanceof HTMLButtonElement)) return
    const buttons = [...(chips.current?.querySelectorAll('button') ?? [])]
    const place = buttons.indexOf(event.target)
    if (event.key === 'ArrowLeft') buttons[Math.max(0, place - 1)]?.focus()
    else if (event.key === 'ArrowRight') (buttons[place + 1] ?? input.current)?.focus()
    else if (event.key === 'Delete' || event.key === 'Backspace') {
      onChange(values.filter((_, at) => at !== place))
      input.current?.focus()
    } else return
    event.preventDefault()
  }

  const onPaste = (event: ClipboardEvent) => {
    const text = event.clipboardData.getData('text')
    if (!/[\n\r\t,;]/.test(text)) return
    event.preventDefault()
    add(text.split(/[\n\r\t,;]/))
  }

  const hidden = values.length - max
  return (
    <div className="grid gap-1">
      {/* biome-ignore lint/a11y/useKeyWithClickEvents: a press on the frame only leads to the input inside */}
      {/* biome-ignore lint/a11y/noStaticElementInteractions: as above */}
      <div
        className="flex min-h-8 cursor-text flex-wrap items-center gap-1 rounded-2 border border-control bg-raised p-0.75 focus-within:outline-2 focus-within:outline-offset-1 focus-within:outline-focus has-aria-invalid:border-danger-mark touch:min-h-11"
        onClick={({ target, currentTarget }) => {
          if (target === currentTarget) input.current?.focus()
        }}
      >
        {/* biome-ignore lint/a11y/noStaticElementInteractions: the buttons inside have the focus */}
        <span ref={chips} className="contents" onKeyDown={walk}>
          {values.slice(0, max).map((value, place) => (
            <Chip
              key={value}
              name={value}
              isMono={isMono}
              isShaking={value === shaking}
              onRemove={() => onChange(values.filter((_, at) => at !== place))}
            >
              {value}
            </Chip>
          ))}
          {hidden > 0 && <span className="px-1 text-12 text-muted">+ {format.number(hidden)}</span>}
        </span>
        <input
          {...ids}
          ref={input}
          value={typed}
          list={listId}
          aria-label={name}
          placeholder={values.length === 0 ? placeholder : t.addValue}
          className={clsx(
            'min-w-20 flex-1 px-1.5 text-13 outline-none',
            isMono && 'font-mono text-12',
          )}
          onChange={({ target }) => setTyped(target.value)}
          onKeyDown={onKeyDown}
          onPaste={onPaste}
          onBlur={() => typed.trim() !== '' && add([typed])}
          autoComplete="off"
          spellCheck={false}
        />
        {listId !== undefined && (
          <datalist id={listId}>
            {suggestions.map((one) => (
              <option key={one} value={one} />
            ))}
          </datalist>
        )}
      </div>
      <span role="status" className="text-12 text-muted empty:hidden">
        {said}
      </span>
    </div>
  )
}
