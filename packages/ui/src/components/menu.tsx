import { Menu as Base } from '@base-ui/react/menu'
import type { LucideIcon } from 'lucide-react'
import type { ReactElement, ReactNode } from 'react'
import { Icon } from './icon.tsx'

interface Props {
  /** The button that opens it. */
  readonly trigger: ReactElement<Record<string, unknown>>
  readonly children: ReactNode
}

export function Menu({ trigger, children }: Props) {
  return (
    <Base.Root modal={false}>
      <Base.Trigger render={trigger} />
      <Base.Portal>
        <Base.Positioner sideOffset={4} align="end" className="z-popover">
          <Base.Popup className="layer menu">{children}</Base.Popup>
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
  readonly end?: ReactNode
}

export function MenuItem({ icon, children, onSelect, isDanger = false, end }: ItemProps) {
  return (
    <Base.Item className={isDanger ? 'item danger' : 'item'} onClick={onSelect}>
      {icon && <Icon of={icon} />}
      {children}
      {end !== undefined && <span className="end">{end}</span>}
    </Base.Item>
  )
}

export function MenuLine() {
  return <Base.Separator className="line" />
}
