import { NumberField } from '@base-ui/react/number-field'
import clsx from 'clsx'
import { usePreferences } from '../data/preferences.ts'
import { localeOf } from '../text/format.ts'

interface Props {
  /** 0 to 100; `null` while nothing is typed. */
  readonly value: number | null
  readonly name: string
  readonly onChange: (value: number | null) => void
  readonly onDone?: (value: number | null) => void
  /** Whether it, or a total that it is part of, is wrong. */
  readonly isWrong?: boolean
  readonly describedBy?: string
  readonly max?: number
  /** Places after the point. @default 3, as percentages of rollouts have */
  readonly decimals?: number
}

/** A share in per cent: the arrows change it by 1, with Shift by 10, with Alt by 0.01. */
export function PercentField({
  value,
  name,
  onChange,
  onDone,
  isWrong = false,
  describedBy,
  max = 100,
  decimals = 3,
}: Props) {
  const { language } = usePreferences()
  return (
    <NumberField.Root
      value={value}
      min={0}
      max={max}
      step={1}
      largeStep={10}
      smallStep={0.01}
      format={{ maximumFractionDigits: decimals }}
      locale={localeOf(language)}
      onValueChange={onChange}
      onValueCommitted={(value) => onDone?.(value)}
    >
      <NumberField.Group
        className={clsx(
          'inline-flex min-h-7 items-center rounded-2 border bg-raised pe-2 text-13 focus-within:outline-2 focus-within:outline-offset-1 focus-within:outline-focus touch:min-h-11',
          isWrong ? 'border-danger-mark' : 'border-control',
        )}
      >
        <NumberField.Input
          className="w-14 px-1 text-end font-medium outline-none"
          data-share=""
          inputMode="decimal"
          aria-label={name}
          aria-invalid={isWrong || undefined}
          aria-describedby={describedBy}
        />
        <span className="text-muted" aria-hidden="true">
          %
        </span>
      </NumberField.Group>
    </NumberField.Root>
  )
}
