import clsx from 'clsx'
import type { ComponentProps, ReactNode } from 'react'

interface Props extends Omit<ComponentProps<'section'>, 'title'> {
  readonly title?: ReactNode
  /** At the end of the title. */
  readonly actions?: ReactNode
  readonly footer?: ReactNode
  /** Whether the children keep no distance, such as a list. */
  readonly isFlush?: boolean
}

export function Card({
  title,
  actions,
  footer,
  isFlush = false,
  children,
  className,
  ...rest
}: Props) {
  return (
    <section
      {...rest}
      className={clsx('min-w-0 rounded-3 border border-line bg-raised', className)}
    >
      {title !== undefined && (
        <header className="flex min-h-11 items-center gap-2 border-b border-line px-4 py-2">
          <h2 className="min-w-0 flex-1">{title}</h2>
          {actions}
        </header>
      )}
      <div className={clsx(!isFlush && 'p-4')}>{children}</div>
      {footer !== undefined && (
        <footer className="flex items-center gap-2 rounded-b-3 border-t border-line bg-sunken px-4 py-3 text-12 text-muted">
          {footer}
        </footer>
      )}
    </section>
  )
}

/** A setting: what it is, and the control at the end. */
export function SettingRow({
  title,
  help,
  children,
}: {
  readonly title: ReactNode
  readonly help?: ReactNode
  readonly children: ReactNode
}) {
  return (
    <div className="flex flex-wrap items-center gap-x-6 gap-y-2 border-b border-line p-4 last:border-b-0">
      <div className="min-w-48 flex-1">
        <div className="text-13 font-medium">{title}</div>
        {help !== undefined && <div className="text-12 text-pretty text-muted">{help}</div>}
      </div>
      {children}
    </div>
  )
}

/** Names and their values. */
export function Facts({
  facts,
}: {
  readonly facts: readonly (readonly [name: ReactNode, value: ReactNode, key: string])[]
}) {
  return (
    <dl className="grid grid-cols-[minmax(7rem,auto)_minmax(0,1fr)] gap-x-4 gap-y-1.5 text-13">
      {facts.map(([name, value, key]) => (
        <div key={key} className="contents">
          <dt className="text-muted">{name}</dt>
          <dd className="min-w-0 wrap-anywhere">{value}</dd>
        </div>
      ))}
    </dl>
  )
}
