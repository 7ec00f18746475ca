import { Tooltip as Base } from '@base-ui/react/tooltip'
import type { ReactElement } from 'react'

interface Props {
  readonly text: string
  /** What it is about: an element that can have the focus. */
  readonly children: ReactElement<Record<string, unknown>>
}

/** More about an element, on hover and on focus; Escape closes it. */
export function Tooltip({ text, children }: Props) {
  return (
    <Base.Root>
      <Base.Trigger render={children} />
      <Base.Portal>
        <Base.Positioner sideOffset={6} className="z-popover">
          <Base.Popup className="layer tooltip">{text}</Base.Popup>
        </Base.Positioner>
      </Base.Portal>
    </Base.Root>
  )
}
