import { Plus } from 'lucide-react'
import type { ReactNode } from 'react'
import { Button } from '../components/button.tsx'
import { Icon } from '../components/icon.tsx'
import { Keys } from '../components/keys.tsx'

interface Props {
  readonly onClick: () => void
  readonly disabledReason: string | undefined
  readonly children: ReactNode
}

/** Makes a new one of what a list has: the primary action of its page, also by C. */
export function NewButton({ onClick, disabledReason, children }: Props) {
  return (
    <Button look="primary" aria-keyshortcuts="c" onClick={onClick} disabledReason={disabledReason}>
      <Icon of={Plus} />
      {children}
      <Keys of="c" onInk className="narrow:hidden" />
    </Button>
  )
}
