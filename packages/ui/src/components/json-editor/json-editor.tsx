import clsx from 'clsx'
import { useEffect, useId, useRef, useState } from 'react'
import { useTexts } from '../../text/texts.ts'
import type { FieldIds } from '../field.tsx'
import { TextArea } from '../text-input.tsx'
import { componentTexts } from '../texts.ts'
import type { Editor, EditorOptions } from './editor.ts'

interface Props {
  readonly value: string
  readonly onChange: (value: string) => void
  readonly onBlur?: () => void
  /** What it is, such as `Context`: screen readers get no label from outside the editor. */
  readonly name: string
  /** Of the {@link Field} around it. */
  readonly ids?: FieldIds
  /** Lines that are seen at least. @default 5 */
  readonly rows?: number
  readonly isReadOnly?: boolean
  readonly className?: string
}

type Create = (options: EditorOptions) => Editor

/** Where a text area serves better: phones have keyboards of their own. */
const isNarrow = () => matchMedia('(width < 48rem)').matches

/**
 * A field of JSON with colours, brackets that match, and a mark where it is wrong. It is a plain text area until
 * the editor is loaded, where it cannot be loaded, and on narrow pages. `findJsonProblem` of json.ts says
 * what is wrong, for the text below.
 */
export function JsonEditor(props: Props) {
  const [create, setCreate] = useState<Create>()
  const area = useRef<HTMLTextAreaElement>(null)
  const [focus, setFocus] = useState<readonly [from: number, to: number]>()
  useEffect(() => {
    if (isNarrow()) return
    let isWanted = true
    import('./editor.ts').then(
      ({ createEditor }) => {
        if (!isWanted) return
        const { current } = area
        // What was begun in the text area goes on in the editor.
        if (current !== null && current === document.activeElement)
          setFocus([current.selectionStart, current.selectionEnd])
        setCreate(() => createEditor)
      },
      () => {},
    )
    return () => {
      isWanted = false
    }
  }, [])
  if (create !== undefined) return <RichEditor {...props} create={create} focus={focus} />
  const { value, onChange, onBlur, name, ids, rows = 5, isReadOnly, className } = props
  return (
    <TextArea
      ref={area}
      {...ids}
      aria-label={ids === undefined ? name : undefined}
      isMono
      spellCheck={false}
      autoComplete="off"
      autoCapitalize="off"
      readOnly={isReadOnly}
      value={value}
      onChange={({ target }) => onChange(target.value)}
      onBlur={onBlur}
      className={className}
      style={{ minHeight: heightOf(rows) }}
    />
  )
}

/** Lines of 12 px × 1.65, and what is above and below them. */
function heightOf(rows: number): string {
  return `${rows * 1.2375 + 1}rem`
}

interface RichProps extends Props {
  readonly create: Create
  readonly focus: readonly [from: number, to: number] | undefined
}

function RichEditor({
  value,
  onChange,
  onBlur,
  name,
  ids,
  rows = 5,
  isReadOnly = false,
  className,
  create,
  focus,
}: RichProps) {
  const t = useTexts(componentTexts)
  const ownId = useId()
  const id = ids?.id ?? ownId
  const host = useRef<HTMLDivElement>(null)
  const editor = useRef<Editor>(undefined)
  /** What it was last described by. */
  const about = useRef('')
  const latest = useRef({ onChange, onBlur, problem: t.noJson, value, focus })
  useEffect(() => {
    latest.current = { onChange, onBlur, problem: t.noJson, value, focus }
  })
  useEffect(() => {
    const { current } = host
    if (current === null) return
    const made = create({
      host: current,
      text: latest.current.value,
      isReadOnly,
      problem: (line) => latest.current.problem(String(line)),
      onChange: (text) => latest.current.onChange(text),
      onBlur: () => latest.current.onBlur?.(),
    })
    editor.current = made
    about.current = ''
    const { focus } = latest.current
    if (focus !== undefined) made.focus(...focus)
    // A label leads to what can have one alone, and the host is none.
    const label = document.querySelector(`label[for="${CSS.escape(id)}"]`)
    const onLabel = () => made.focus(0, 0)
    label?.addEventListener('click', onLabel)
    return () => {
      label?.removeEventListener('click', onLabel)
      made.destroy()
    }
  }, [create, isReadOnly, id])
  useEffect(() => editor.current?.setText(value), [value])
  const [described, isInvalid] = [ids?.['aria-describedby'] ?? '', ids?.['aria-invalid']]
  useEffect(() => {
    // What stands outside of the shadow root is told in it.
    const attributes = {
      'aria-label': name,
      'aria-description': document.getElementById(described)?.textContent ?? '',
      'aria-invalid': String(isInvalid ?? false),
    }
    const next = JSON.stringify(attributes)
    if (next !== about.current) editor.current?.describe(attributes)
    about.current = next
  })
  return (
    <div
      ref={host}
      id={id}
      data-json-editor=""
      className={clsx(
        'block w-full min-w-0 cursor-text overflow-auto rounded-2 border focus-within:outline-2 focus-within:outline-offset-1 focus-within:outline-focus',
        isReadOnly ? 'border-line bg-sunken' : 'border-control bg-raised',
        ids?.['aria-invalid'] && 'border-danger-mark! inset-ring inset-ring-danger-mark',
        className,
      )}
      style={{ minHeight: heightOf(rows) }}
    />
  )
}
