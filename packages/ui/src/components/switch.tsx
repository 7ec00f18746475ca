import { Switch as Base } from '@base-ui/react/switch'
import clsx from 'clsx'
import { Tooltip } from './tooltip.tsx'

interface Props {
  readonly isOn: boolean
  /** Says the effect, such as `New checkout: everyone else gets Off`. */
  readonly name: string
  readonly onChange: (isOn: boolean) => void
  readonly isLarge?: boolean
  /** Why it cannot be used now. It stays focusable and says so. */
  readonly disabledReason?: string | undefined
}

export function Switch({ isOn, name, onChange, isLarge = false, disabledReason }: Props) {
  const isDisabled = disabledReason !== undefined
  const element = (
    <Base.Root
      className={clsx(
        // The hit area is 32 px high, whatever is seen of it.
        'relative inline-flex flex-none items-center rounded-full border-[1.5px] border-control bg-raised align-middle transition-colors steady before:absolute before:-inset-x-1.5 before:-inset-y-2 data-checked:border-on-mark data-checked:bg-on-mark',
        isLarge ? 'h-6 w-10' : 'h-4.5 w-7.5',
        isDisabled && 'opacity-60',
      )}
      checked={isOn}
      readOnly={isDisabled}
      aria-label={name}
      aria-disabled={isDisabled || undefined}
      onCheckedChange={onChange}
    >
      <Base.Thumb
        className={clsx(
          'ms-0.5 rounded-full bg-control transition-[translate,background] steady data-checked:bg-raised',
          isLarge ? 'size-4 data-checked:translate-x-4' : 'size-2.75 data-checked:translate-x-3',
        )}
      />
    </Base.Root>
  )
  return isDisabled ? <Tooltip text={disabledReason}>{element}</Tooltip> : element
}
