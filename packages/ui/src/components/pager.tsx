import { ChevronLeft, ChevronRight } from 'lucide-react'
import type { ReactNode } from 'react'
import { useFormat, useTexts } from '../text/texts.ts'
import { buttonClass } from './button.tsx'
import { Icon } from './icon.tsx'
import { componentTexts } from './texts.ts'

interface Props {
  readonly offset: number
  readonly size: number
  readonly total: number
  /** Renders the link to a page, from 1. */
  readonly link: (page: number, className: string, children: ReactNode) => ReactNode
}

export function Pager({ offset, size, total, link }: Props) {
  const t = useTexts(componentTexts)
  const { number } = useFormat()
  const page = Math.floor(offset / size) + 1
  const last = Math.min(offset + size, total)
  const step = (to: number, isThere: boolean, children: ReactNode) =>
    isThere ? (
      link(to, buttonClass({ size: 'small' }), children)
    ) : (
      <span className={buttonClass({ size: 'small', isDisabled: true })} aria-disabled="true">
        {children}
      </span>
    )
  return (
    <nav
      className="flex items-center gap-3 pt-3 text-12 text-muted"
      aria-label={t.range(number(offset + 1), number(last), number(total))}
    >
      <span>{t.range(number(Math.min(offset + 1, last)), number(last), number(total))}</span>
      <span className="flex-1" />
      {total > size && (
        <>
          {step(
            page - 1,
            page > 1,
            <>
              <Icon of={ChevronLeft} small />
              {t.previous}
            </>,
          )}
          {step(
            page + 1,
            last < total,
            <>
              {t.next}
              <Icon of={ChevronRight} small />
            </>,
          )}
        </>
      )}
    </nav>
  )
}
