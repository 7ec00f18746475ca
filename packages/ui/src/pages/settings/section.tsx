import type { ReactNode } from 'react'
import type { Section as Id } from './search.ts'

interface Props {
  readonly id: Id
  readonly title: string
  readonly lead?: string
  readonly action?: ReactNode
  readonly children: ReactNode
}

/** A part of the settings. */
export function Section({ id, title, lead, action, children }: Props) {
  return (
    <section
      id={id}
      className="grid min-w-0 scroll-mt-16 grid-cols-[minmax(0,1fr)] gap-3"
      aria-labelledby={`${id}-title`}
    >
      <div className="flex flex-wrap items-center gap-3">
        <h2 id={`${id}-title`} tabIndex={-1} className="flex-1">
          {title}
        </h2>
        {action}
      </div>
      {lead !== undefined && <p className="-mt-2 text-13 text-muted">{lead}</p>}
      {children}
    </section>
  )
}
