import { Checkbox as Base } from '@base-ui/react/checkbox'
import { Check, Minus } from 'lucide-react'
import type { ReactNode } from 'react'

interface Props {
  readonly isChecked: boolean
  readonly isMixed?: boolean
  /** Unless there are children. */
  readonly name?: string
  readonly onChange: (isChecked: boolean, event: Event) => void
  /** The label beside it. */
  readonly children?: ReactNode
}

export function Checkbox({ isChecked, isMixed = false, name, onChange, children }: Props) {
  const box = (
    <Base.Root
      className="relative inline-grid size-4 flex-none place-items-center rounded-1 border-[1.5px] border-control bg-raised align-middle text-on-ink before:absolute before:-inset-2 data-checked:border-ink data-checked:bg-ink data-indeterminate:border-ink data-indeterminate:bg-ink"
      checked={isChecked}
      indeterminate={isMixed}
      aria-label={name}
      onCheckedChange={(checked, { event }) => onChange(checked, event)}
    >
      <Base.Indicator>
        {isMixed ? <Minus size={12} strokeWidth={2.5} /> : <Check size={12} strokeWidth={2.5} />}
      </Base.Indicator>
    </Base.Root>
  )
  if (children === undefined) return box
  return (
    // biome-ignore lint/a11y/noLabelWithoutControl: the box inside is the control
    <label className="flex cursor-pointer items-start gap-2 text-13">
      <span className="grid h-5 place-items-center">{box}</span>
      <span>{children}</span>
    </label>
  )
}
