import { Select as Base } from '@base-ui/react/select'
import clsx from 'clsx'
import { Check, ChevronDown } from 'lucide-react'
import type { ReactNode } from 'react'
import { layer, menuItem } from './classes.ts'
import type { FieldIds } from './field.tsx'
import { Icon } from './icon.tsx'

export interface Choice<Value> {
  readonly value: Value
  readonly text: string
  /** Before the text, such as the dot of a variant. */
  readonly mark?: ReactNode
  /** Under it. */
  readonly help?: string
}

interface Props<Value> {
  readonly value: Value
  readonly choices: readonly Choice<Value>[]
  readonly onChange: (value: Value) => void
  /** Its name, unless a {@link Field} gives it one. */
  readonly name?: string
  readonly ids?: FieldIds
  readonly isBlock?: boolean
  readonly isSmall?: boolean
  readonly placeholder?: string
  /** Such as `min-w-20`, where several stand below each other. */
  readonly minWidth?: string
}

/** One of a few; with more than seven use {@link Combobox}. */
export function Select<Value extends string | number | boolean>({
  value,
  choices,
  onChange,
  name,
  ids,
  isBlock = false,
  isSmall = false,
  placeholder,
  minWidth,
}: Props<Value>) {
  const items = choices.map(({ value, text }) => ({ value, label: text }))
  const chosen = choices.find((choice) => choice.value === value)
  return (
    <Base.Root
      items={items}
      value={value}
      modal={false}
      onValueChange={(next) => next !== null && onChange(next)}
    >
      <Base.Trigger
        {...ids}
        aria-label={name}
        className={clsx(
          'inline-flex min-w-0 items-center gap-1.5 rounded-2 border border-control bg-raised ps-2.5 pe-2 text-13 whitespace-nowrap hover:bg-hover aria-invalid:border-danger-mark touch:min-h-11',
          isSmall ? 'min-h-7' : 'h-control',
          isBlock && 'w-full',
          minWidth,
        )}
      >
        {chosen?.mark}
        <span className={clsx('min-w-0 flex-1 truncate', chosen === undefined && 'text-faint')}>
          <Base.Value>{() => chosen?.text ?? placeholder ?? ''}</Base.Value>
        </span>
        <Icon of={ChevronDown} small className="text-muted" />
      </Base.Trigger>
      <Base.Portal>
        <Base.Positioner
          sideOffset={4}
          align="start"
          alignItemWithTrigger={false}
          collisionPadding={8}
          className="z-toast"
        >
          <Base.Popup
            className={clsx(
              layer,
              'max-h-(--available-height) min-w-(--anchor-width) max-w-80 overflow-y-auto p-1',
            )}
          >
            <Base.List>
              {choices.map(({ value, text, mark, help }) => (
                <Base.Item
                  key={String(value)}
                  value={value}
                  className={clsx(menuItem, help !== undefined && 'py-1.5')}
                >
                  {mark}
                  <span className="min-w-0 flex-1">
                    <Base.ItemText className="block truncate">{text}</Base.ItemText>
                    {help !== undefined && <span className="block text-12 text-muted">{help}</span>}
                  </span>
                  <Base.ItemIndicator>
                    <Icon of={Check} small />
                  </Base.ItemIndicator>
                </Base.Item>
              ))}
            </Base.List>
          </Base.Popup>
        </Base.Positioner>
      </Base.Portal>
    </Base.Root>
  )
}
