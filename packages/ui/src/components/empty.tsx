import type { ReactNode } from 'react'
import { CopyKey } from './copy-key.tsx'

interface Props {
  readonly title: string
  readonly children: ReactNode
  readonly actions?: ReactNode
  /** The same as a command. */
  readonly command?: string
  /** One drawing, of rail, stop, ruler and dial. */
  readonly picture?: ReactNode
  /** Whether it is all of the page: its title is then the heading. */
  readonly isPage?: boolean
}

/** What a page is for, while there is nothing on it. */
export function Empty({ title, children, actions, command, picture, isPage = false }: Props) {
  const Title = isPage ? 'h1' : 'h2'
  return (
    <div className="grid justify-items-center gap-3 px-6 py-16 text-center">
      {picture}
      <Title tabIndex={isPage ? -1 : undefined} className="text-20 tracking-title wrap-break-word">
        {title}
      </Title>
      <p className="max-w-[46ch] text-balance text-muted">{children}</p>
      {actions !== undefined && (
        <div className="mt-2 flex flex-wrap justify-center gap-2">{actions}</div>
      )}
      {command !== undefined && (
        <div className="mt-3 flex max-w-full min-w-0">
          <CopyKey text={command} />
        </div>
      )}
    </div>
  )
}

/** The drawing of an empty list: a rail that leads nowhere yet. */
export function EmptyRail() {
  return (
    <svg width="96" height="112" viewBox="0 0 96 112" fill="none" aria-hidden="true">
      <path d="M24 0v112" stroke="var(--line-strong)" strokeWidth="1.5" />
      <circle
        cx="24"
        cy="30"
        r="11"
        fill="var(--surface)"
        stroke="var(--control)"
        strokeWidth="1.5"
      />
      <rect
        x="46"
        y="20"
        width="50"
        height="20"
        rx="6"
        stroke="var(--line-strong)"
        strokeWidth="1.5"
        strokeDasharray="3 3"
      />
      <circle
        cx="24"
        cy="82"
        r="11"
        fill="var(--surface)"
        stroke="var(--line-strong)"
        strokeWidth="1.5"
        strokeDasharray="3 3"
      />
      <rect
        x="46"
        y="72"
        width="34"
        height="20"
        rx="6"
        stroke="var(--line-strong)"
        strokeWidth="1.5"
        strokeDasharray="3 3"
      />
    </svg>
  )
}
