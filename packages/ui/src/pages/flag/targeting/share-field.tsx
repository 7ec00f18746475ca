import { useState } from 'react'
import { PercentField } from '../../../components/percent-field.tsx'

interface Props {
  readonly value: number
  readonly name: string
  readonly onChange: (value: number) => void
  readonly onDone: () => void
  readonly isWrong?: boolean
  readonly describedBy?: string
  readonly decimals?: number
}

/** A percentage that stays what it was while nothing is typed. */
export function ShareField({ value, onChange, onDone, decimals = 3, ...rest }: Props) {
  const [isEmpty, setEmpty] = useState(false)
  const shown = Number(value.toFixed(decimals))
  return (
    <PercentField
      {...rest}
      decimals={decimals}
      value={isEmpty ? null : value}
      onChange={(next) => {
        setEmpty(next === null)
        // A field that is left gives back what it shows, which may be rounded.
        if (next !== null && next !== value && next !== shown) onChange(next)
      }}
      onDone={() => {
        setEmpty(false)
        onDone()
      }}
    />
  )
}
