import { ChevronRight, ChevronsLeft } from 'lucide-react'
import type { ReactNode } from 'react'
import { buttonClass } from '../components/button.tsx'
import { Icon } from '../components/icon.tsx'
import { useTexts } from '../text/texts.ts'
import { historyPartTexts } from './texts.ts'

interface Props {
  /** The page that is shown; nothing for the newest. */
  readonly page: string | undefined
  /** The page after it; empty after the last one. */
  readonly next: string | undefined
  /** Renders the link to a page. */
  readonly link: (page: string | undefined, className: string, children: ReactNode) => ReactNode
  readonly children?: ReactNode
}

/** The way through a log: from page to page, each with the token of the one before. */
export function Older({ page, next, link, children }: Props) {
  const t = useTexts(historyPartTexts)
  const hasNext = next !== undefined && next !== ''
  if (page === undefined && !hasNext && children === undefined) return null
  return (
    <nav aria-label={t.pages} className="flex flex-wrap items-center gap-3 pt-3 text-12 text-muted">
      {children}
      <span className="flex-1" />
      {page !== undefined &&
        link(
          undefined,
          buttonClass({ size: 'small' }),
          <>
            <Icon of={ChevronsLeft} small />
            {t.newest}
          </>,
        )}
      {hasNext &&
        link(
          next,
          buttonClass({ size: 'small' }),
          <>
            {t.older}
            <Icon of={ChevronRight} small />
          </>,
        )}
    </nav>
  )
}
