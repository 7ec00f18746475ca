import { cloneElement, lazy, Suspense, useState } from 'react'
import type { ComboboxProps } from './combobox.tsx'

const load = () => import('./combobox.tsx')
const Combobox = lazy(async () => ({ default: (await load()).Combobox }))

/** Has it ready when the button is pressed. If that fails, the press tries again. */
const prepare = () => void load().catch(() => {})

/** A combobox for what is loaded first: all but its button comes when it is needed. */
export function LateCombobox(props: Omit<ComboboxProps, 'opensAtOnce'>) {
  const [isWanted, setWanted] = useState(false)
  const button = cloneElement(props.trigger, {
    // As the one that takes its place.
    role: 'combobox',
    'aria-haspopup': 'dialog',
    'aria-expanded': false,
    onPointerEnter: prepare,
    onFocus: prepare,
    onClick: () => setWanted(true),
  })
  if (!isWanted) return button
  return (
    <Suspense fallback={button}>
      <Combobox {...props} opensAtOnce />
    </Suspense>
  )
}
