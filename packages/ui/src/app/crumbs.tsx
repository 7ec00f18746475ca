import { Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { useText } from '../text/text.ts'

/** Where a page is: the last one is the page itself. */
interface Crumb {
  readonly text: string
  readonly to?: string
}

interface Props {
  readonly path: readonly Crumb[]
  readonly children?: ReactNode
}

export function Crumbs({ path, children }: Props) {
  const t = useText()
  return (
    <div className="crumbs">
      <nav aria-label={t.frame.breadcrumb}>
        <ol>
          {path.map(({ text, to }) => (
            <li key={text} aria-current={to === undefined ? 'page' : undefined}>
              {to === undefined ? text : <Link to={to}>{text}</Link>}
            </li>
          ))}
        </ol>
      </nav>
      <span className="grow" />
      {children}
    </div>
  )
}
