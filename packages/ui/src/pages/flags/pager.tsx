import { Link } from '@tanstack/react-router'
import { ChevronLeft, ChevronRight } from 'lucide-react'
import type { ReactNode } from 'react'
import { Icon } from '../../components/icon.tsx'
import { useFormat, useText } from '../../text/text.ts'

interface Props {
  readonly offset: number
  readonly size: number
  readonly total: number
  /** From 1. */
  readonly page: number
}

export function Pager({ offset, size, total, page }: Props) {
  const t = useText()
  const { number } = useFormat()
  const last = Math.min(offset + size, total)
  if (total <= size && page === 1) return null
  return (
    <div className="pager">
      <span>{t.common.range(number(offset + 1), number(last), number(total))}</span>
      <span className="grow" />
      <PageLink page={page - 1} isThere={page > 1}>
        <Icon of={ChevronLeft} small />
        {t.common.previous}
      </PageLink>
      <PageLink page={page + 1} isThere={last < total}>
        {t.common.next}
        <Icon of={ChevronRight} small />
      </PageLink>
    </div>
  )
}

interface PageLinkProps {
  readonly page: number
  readonly isThere: boolean
  readonly children: ReactNode
}

function PageLink({ page, isThere, children }: PageLinkProps) {
  if (!isThere) {
    return (
      <span className="btn small" aria-disabled="true">
        {children}
      </span>
    )
  }
  return (
    <Link
      className="btn small"
      from="/ns/$namespaceKey/flags"
      to="."
      search={({ page: _, ...search }) => ({ ...search, ...(page > 1 && { page }) })}
    >
      {children}
    </Link>
  )
}
