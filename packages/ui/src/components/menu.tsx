import { Menu as Base } from '@base-ui/react/menu'
import clsx from 'clsx'
import { Check, type LucideIcon } from 'lucide-react'
import type { ReactElement, ReactNode } from 'react'
import { layer, menuItem } from './classes.ts'
import { Icon } from './icon.tsx'
import { Keys } from './keys.tsx'

interface Props {
  /** The button that opens it. */
  readonly trigger: ReactElement<Record<string, unknown>>
  readonly children: ReactNode
  readonly align?: 'start' | 'end'
  readonly side?: 'top' | 'bottom'
  readonly className?: string
}

export function Menu({ trigger, children, align = 'end', side = 'bottom', className }: Props) {
  return (
    <Base.Root modal={false}>
      <Base.Trigger render={trigger} />
      <Base.Portal>
        <Base.Positioner
          sideOffset={4}
          align={align}
          side={side}
          collisionPadding={8}
          className="z-popover"
        >
          <Base.Popup
            className={clsx(
              layer,
              'max-h-(--available-height) w-60 overflow-y-auto p-1',
              className,
            )}
          >
            {children}
          </Base.Popup>
        </Base.Positioner>
      </Base.Portal>
    </Base.Root>
  )
}

interface ItemProps {
  readonly icon?: LucideIcon
  readonly children: ReactNode
  readonly onSelect: () => void
  readonly isDanger?: boolean
  /** The keys that do the same. */
  readonly keys?: string
  /** Why it cannot be used now. */
  readonly disabledReason?: string | undefined
}

export function MenuItem({
  icon,
  children,
  onSelect,
  isDanger = false,
  keys,
  disabledReason,
}: ItemProps) {
  const isDisabled = disabledReason !== undefined
  return (
    <Base.Item
      className={clsx(menuItem, isDanger && !isDisabled && 'text-danger', isDisabled && 'py-1')}
      aria-disabled={isDisabled || undefined}
      closeOnClick={!isDisabled}
      onClick={isDisabled ? undefined : onSelect}
    >
      {icon && <Icon of={icon} className={clsx(!isDanger && 'text-muted')} />}
      <span className="min-w-0 flex-1">
        {children}
        {isDisabled && <span className="block text-12">{disabledReason}</span>}
      </span>
      {keys !== undefined && <Keys of={keys} />}
    </Base.Item>
  )
}

interface ChoiceProps<Value> {
  readonly title?: string
  readonly value: Value
  readonly choices: readonly (readonly [value: Value, text: ReactNode])[]
  readonly onChange: (value: Value) => void
}

/** One of several, ticked. */
export function MenuChoice<Value extends string>({
  title,
  value,
  choices,
  onChange,
}: ChoiceProps<Value>) {
  return (
    <Base.Group>
      {title !== undefined && (
        <Base.GroupLabel className="px-2 pt-1.5 pb-1 text-12 text-faint">{title}</Base.GroupLabel>
      )}
      <Base.RadioGroup value={value} onValueChange={onChange}>
        {choices.map(([one, text]) => (
          <Base.RadioItem key={one} value={one} className={menuItem} closeOnClick>
            <span className="flex-1">{text}</span>
            <Base.RadioItemIndicator>
              <Icon of={Check} small />
            </Base.RadioItemIndicator>
          </Base.RadioItem>
        ))}
      </Base.RadioGroup>
    </Base.Group>
  )
}

export function MenuLine() {
  return <Base.Separator className="-mx-1 my-1 border-t border-line" />
}
