import clsx from 'clsx'
import type { ReactNode } from 'react'

interface PageProps {
  readonly children: ReactNode
  /** A form is narrower. */
  readonly isForm?: boolean
}

/** The content of a page, below its crumbs. */
export function Page({ children, isForm = false }: PageProps) {
  return (
    <div
      className={clsx(
        'mx-auto w-full px-6 pt-6 pb-16 narrow:px-4 narrow:pt-4 narrow:pb-24',
        isForm ? 'max-w-[52rem]' : 'max-w-page',
      )}
    >
      {children}
    </div>
  )
}

interface HeadProps {
  readonly title: ReactNode
  /** After the title, such as the key. */
  readonly beside?: ReactNode
  readonly lead?: ReactNode
  /** Secondary ones first; the one primary at the end. */
  readonly actions?: ReactNode
}

/** The heading of a page, which gets the focus when the page is opened, and what can be done on it. */
export function PageHead({ title, beside, lead, actions }: HeadProps) {
  return (
    <div className="mb-5 flex flex-wrap items-start gap-x-4 gap-y-3">
      <div className="min-w-0 flex-1">
        <div className="flex flex-wrap items-center gap-x-2.5 gap-y-1">
          <h1 tabIndex={-1} className="min-w-0 wrap-break-word">
            {title}
          </h1>
          {beside}
        </div>
        {lead !== undefined && <p className="mt-0.5 max-w-[62ch] text-muted">{lead}</p>}
      </div>
      {actions !== undefined && <div className="flex flex-none flex-wrap gap-2">{actions}</div>}
    </div>
  )
}
