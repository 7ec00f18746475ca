import type { ReactNode } from 'react'
import { Button } from './button.tsx'

interface Props {
  /** Such as `3 flags were changed by others`. */
  readonly children: ReactNode
  readonly action: string
  readonly onShow: () => void
}

/** What others have changed: it moves nothing until it is asked for. */
export function News({ children, action, onShow }: Props) {
  return (
    <div
      role="status"
      className="mx-auto mb-3 flex w-fit items-center gap-2 rounded-full border border-accent-line bg-accent-soft py-0.5 ps-3 pe-1 text-12"
    >
      <span>{children}</span>
      <Button look="quiet" size="small" className="rounded-full! text-accent!" onClick={onShow}>
        {action}
      </Button>
    </div>
  )
}
