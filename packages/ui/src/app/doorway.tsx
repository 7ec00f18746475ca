import type { ReactNode } from 'react'
import { Mark } from './mark.tsx'

interface Props {
  readonly title: ReactNode
  readonly children: ReactNode
  /** Below the card. */
  readonly footer?: ReactNode
}

/** A page without the frame: one card on the rail, in the middle. */
export function Doorway({ title, children, footer }: Props) {
  return (
    <main
      id="main"
      tabIndex={-1}
      className="grid min-h-dvh place-items-center bg-[linear-gradient(90deg,transparent_calc(50%-0.75px),var(--line-strong)_0_calc(50%+0.75px),transparent_0)] px-4 py-6"
    >
      <div className="grid w-[min(22.5rem,100%)] gap-6">
        <div className="grid justify-items-center gap-3 text-center">
          <Mark />
          <div className="bg-canvas px-2">
            <h1 className="text-24" tabIndex={-1}>
              {title}
            </h1>
            <p className="mt-0.5 text-13 text-muted">{location.host}</p>
          </div>
        </div>
        <div className="rounded-4 bg-raised p-6 shadow-layer">{children}</div>
        {footer !== undefined && (
          <p className="justify-self-center bg-canvas px-2 py-1 text-center text-12 text-faint">
            {footer}
          </p>
        )}
      </div>
    </main>
  )
}
