import { useState } from 'react'
import { PercentField } from '../../../components/percent-field.tsx'

interface Props {
  readonly value: number
  readonly name: string
  readonly onChange: (value: number) => void
  readonly onDone: () => void
  readonly isWrong?: boolean
  readonly describedBy?: string
}

/** A percentage that stays what it was while nothing is typed. */
export function ShareField({ value, onChange, onDone, ...rest }: Props) {
  const [isEmpty, setEmpty] = useState(false)
  return (
    <PercentField
      {...rest}
      value={isEmpty ? null : value}
      onChange={(next) => {
        setEmpty(next === null)
        if (next !== null && next !== value) onChange(next)
      }}
      onDone={() => {
        setEmpty(false)
        onDone()
      }}
    />
  )
}
