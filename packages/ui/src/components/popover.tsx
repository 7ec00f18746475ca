import { Popover as Base } from '@base-ui/react/popover'
import clsx from 'clsx'
import type { ReactElement, ReactNode } from 'react'
import { layer } from './classes.ts'

interface Props {
  readonly trigger: ReactElement<Record<string, unknown>>
  /** What it is, for those who do not see it. */
  readonly label: string
  readonly children: ReactNode
  readonly isOpen?: boolean
  readonly onOpenChange?: (isOpen: boolean) => void
  readonly align?: 'start' | 'center' | 'end'
  readonly className?: string
}

/** A layer beside what opens it, for a few controls. */
export function Popover({
  trigger,
  label,
  children,
  isOpen,
  onOpenChange,
  align = 'start',
  className,
}: Props) {
  return (
    <Base.Root
      {...(isOpen !== undefined && { open: isOpen })}
      onOpenChange={(open) => onOpenChange?.(open)}
    >
      <Base.Trigger render={trigger} />
      <Base.Portal>
        <Base.Positioner sideOffset={4} align={align} collisionPadding={8} className="z-popover">
          <Base.Popup
            aria-label={label}
            className={clsx(layer, 'max-h-(--available-height) overflow-y-auto p-3', className)}
          >
            {children}
          </Base.Popup>
        </Base.Positioner>
      </Base.Portal>
    </Base.Root>
  )
}
