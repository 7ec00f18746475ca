import type { ReactNode } from 'react'

interface Props {
  readonly title: string
  readonly children: ReactNode
  readonly actions?: ReactNode
  /** The same as a command. */
  readonly command?: string
}

/** What a page is for, while there is nothing on it. */
export function Empty({ title, children, actions, command }: Props) {
  return (
    <div className="empty">
      <h2>{title}</h2>
      <p>{children}</p>
      {actions !== undefined && <div className="row wrap">{actions}</div>}
      {command !== undefined && <code className="small faint">{command}</code>}
    </div>
  )
}
