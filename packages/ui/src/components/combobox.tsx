import { Combobox as Base } from '@base-ui/react/combobox'
import clsx from 'clsx'
import { Check, Plus, Search } from 'lucide-react'
import { type ReactElement, type ReactNode, useEffect, useRef, useState } from 'react'
import { useTexts } from '../text/texts.ts'
import { layer, menuItem } from './classes.ts'
import { Icon } from './icon.tsx'
import { componentTexts } from './texts.ts'

export interface ComboboxItem {
  readonly value: string
  readonly text: string
  /** Under or beside it, such as the key of what has a name. */
  readonly detail?: string
  readonly mark?: ReactNode
  readonly end?: ReactNode
}

export interface ComboboxProps {
  /** The button that opens it. */
  readonly trigger: ReactElement<Record<string, unknown>>
  /** What is chosen, such as `Segments`. */
  readonly label: string
  readonly items: readonly ComboboxItem[]
  readonly value: string | undefined
  readonly onChange: (value: string) => void
  readonly isLoading?: boolean
  /** Is told what is typed, to look for it elsewhere; then nothing is filtered here. */
  readonly onSearch?: (text: string) => void
  /** Offers to make what was typed and not found. */
  readonly onCreate?: (text: string) => void
  /** Below the list, such as a way to make a new one. @param close closes the list */
  readonly footer?: (close: () => void) => ReactNode
  readonly searchLabel?: string
  readonly className?: string
  /** Whether it opens by itself, once: its button was pressed before it was here. */
  readonly opensAtOnce?: boolean
}

/** One of many, found by typing. */
export function Combobox({
  trigger,
  label,
  items,
  value,
  onChange,
  isLoading = false,
  onSearch,
  onCreate,
  footer,
  searchLabel,
  className,
  opensAtOnce = false,
}: ComboboxProps) {
  const t = useTexts(componentTexts)
  const [typed, setTyped] = useState('')
  const [isOpen, setOpen] = useState(false)
  const button = useRef<HTMLButtonElement>(null)
  useEffect(() => {
    if (!opensAtOnce) return
    // What has the focus then is where it comes back to.
    button.current?.focus()
    setOpen(true)
  }, [opensAtOnce])
  const chosen = items.find((item) => item.value === value) ?? null
  const text = typed.trim()
  const canCreate =
    onCreate !== undefined && text !== '' && !items.some(({ value }) => value === text)
  return (
    <Base.Root
      items={items}
      value={chosen}
      open={isOpen}
      inputValue={typed}
      onOpenChange={(open) => {
        setOpen(open)
        if (open) {
          setTyped('')
          onSearch?.('')
        }
      }}
      onInputValueChange={(next) => {
        setTyped(next)
        onSearch?.(next)
      }}
      onValueChange={(item) => {
        // A letter that is pressed on the button would choose what begins with it.
        if (isOpen && item !== null) onChange(item.value)
      }}
      itemToStringLabel={({ text, detail = '' }: ComboboxItem) => `${text} ${detail}`}
      isItemEqualToValue={(one: ComboboxItem, other: ComboboxItem) => one.value === other.value}
      {...(onSearch && { filter: null })}
      autoHighlight
    >
      {/* What is in the trigger does not name it; a name of its own goes before this one. */}
      <Base.Trigger aria-label={label} render={trigger} />
      <Base.Portal>
        <Base.Positioner sideOffset={4} align="start" collisionPadding={8} className="z-toast">
          <Base.Popup
            aria-label={label}
            className={clsx(
              layer,
              'flex max-h-[min(24rem,var(--available-height))] w-76 max-w-[calc(100vw-1rem)] flex-col p-1',
              className,
            )}
          >
            <div className="flex h-control flex-none items-center gap-2 px-2">
              <Icon of={Search} className="text-muted" />
              <Base.Input
                className="min-w-0 flex-1 text-13 outline-none"
                aria-label={searchLabel ?? t.search}
                placeholder={searchLabel ?? t.search}
              />
            </div>
            <div className="-mx-1 mt-1 border-t border-line" />
            <Base.Empty className="px-2 py-2 text-12 text-faint empty:hidden">
              {canCreate ? null : isLoading ? t.loading : t.nothingFound}
            </Base.Empty>
            <Base.List className="min-h-0 overflow-y-auto py-1 empty:py-0">
              {(item: ComboboxItem) => (
                <Base.Item
                  key={item.value}
                  value={item}
                  className={clsx(menuItem, item.detail !== undefined && 'py-1')}
                >
                  {item.mark}
                  <span className="min-w-0 flex-1">
                    <span className="block truncate">{item.text}</span>
                    {item.detail !== undefined && (
                      <span className="block truncate font-mono text-11 text-muted">
                        {item.detail}
                      </span>
                    )}
                  </span>
                  {item.end}
                  <Base.ItemIndicator>
                    <Icon of={Check} small />
                  </Base.ItemIndicator>
                </Base.Item>
              )}
            </Base.List>
            {canCreate && (
              <button
                type="button"
                className={clsx(menuItem, 'hover:bg-hover focus-visible:bg-hover')}
                onClick={() => {
                  onCreate(text)
                  setOpen(false)
                }}
              >
                <Icon of={Plus} className="text-muted" />
                <span className="truncate">{t.add(text)}</span>
              </button>
            )}
            {footer !== undefined && (
              <div className="-mx-1 -mb-1 border-t border-line p-1">
                {footer(() => setOpen(false))}
              </div>
            )}
          </Base.Popup>
        </Base.Positioner>
      </Base.Portal>
    </Base.Root>
  )
}
