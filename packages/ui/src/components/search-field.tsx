import { Search, X } from 'lucide-react'
import { type Ref, useEffect, useState } from 'react'
import { useTexts } from '../text/texts.ts'
import { Button } from './button.tsx'
import { Icon } from './icon.tsx'
import { Keys } from './keys.tsx'
import { TextInput } from './text-input.tsx'
import { componentTexts } from './texts.ts'

/** What is typed is told after a pause of this length, in milliseconds. */
const pauseMs = 200

interface Props {
  /** What is looked for now. */
  readonly text: string
  readonly onSearch: (text: string) => void
  readonly label: string
  /** What is searched, such as `Name or key`. */
  readonly hint: string
  readonly inputRef?: Ref<HTMLInputElement>
}

/** Looks for what is typed, a moment after. Escape clears it, and leaves it when it is empty. */
export function SearchField({ text, onSearch, label, hint, inputRef }: Props) {
  const t = useTexts(componentTexts)
  const [typed, setTyped] = useState(text)
  const [known, setKnown] = useState(text)
  const [asked, setAsked] = useState<string>()
  if (known !== text) {
    setKnown(text)
    setAsked(undefined)
    // It was changed by something else, such as a link or Clear filters.
    if (text !== asked) setTyped(text)
  }
  const wanted = typed.trim()
  useEffect(() => {
    if (wanted === text) return
    const timer = setTimeout(() => {
      setAsked(wanted)
      onSearch(wanted)
    }, pauseMs)
    return () => clearTimeout(timer)
  })
  return (
    <TextInput
      ref={inputRef}
      type="search"
      frameClass="max-w-84 flex-[1_1_12rem]! narrow:flex-[0_0_14rem]!"
      value={typed}
      maxLength={256}
      aria-label={label}
      aria-keyshortcuts="/"
      placeholder={hint}
      onChange={({ target }) => setTyped(target.value)}
      onKeyDown={(event) => {
        if (event.key !== 'Escape') return
        if (typed === '') event.currentTarget.blur()
        else setTyped('')
      }}
      start={<Icon of={Search} className="text-muted" />}
      end={
        typed === '' ? (
          <Keys of="/" className="narrow:hidden" />
        ) : (
          <Button
            look="quiet"
            size="small"
            isIcon
            className="-me-1.5"
            aria-label={t.clearSearch}
            onClick={() => setTyped('')}
          >
            <Icon of={X} small />
          </Button>
        )
      }
    />
  )
}
