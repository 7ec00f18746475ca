import { Tooltip as Base } from '@base-ui/react/tooltip'
import type { ReactElement } from 'react'

interface Props {
  readonly text: string
  /** What it is about: an element that can have the focus. */
  readonly children: ReactElement<Record<string, unknown>>
  readonly side?: 'top' | 'right' | 'bottom' | 'left'
}

/** More about an element, on hover and on focus; Escape closes it. */
export function Tooltip({ text, children, side = 'top' }: Props) {
  return (
    <Base.Root>
      <Base.Trigger render={children} />
      <Base.Portal>
        <Base.Positioner sideOffset={6} side={side} className="z-toast">
          <Base.Popup className="layer-motion max-w-72 rounded-2 bg-ink px-2 py-1 text-12 text-on-ink shadow-layer">
            {text}
          </Base.Popup>
        </Base.Positioner>
      </Base.Portal>
    </Base.Root>
  )
}
