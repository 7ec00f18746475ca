import clsx from 'clsx'
import { ArrowDown, ArrowUp } from 'lucide-react'
import type { ComponentProps, ReactNode } from 'react'
import { useTexts } from '../text/texts.ts'
import { Icon } from './icon.tsx'
import { componentTexts } from './texts.ts'

interface TableProps {
  readonly label: string
  readonly children: ReactNode
  readonly className?: string
}

/** The frame of a table, which scrolls sideways by itself. On a narrow screen rows are cards. */
export function Table({ label, children, className }: TableProps) {
  return (
    <section
      aria-label={label}
      // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls has to be reached by keyboard
      tabIndex={0}
      className={clsx('relative overflow-x-auto rounded-3 border border-line bg-raised', className)}
    >
      <table className="text-13 narrow:block">{children}</table>
    </section>
  )
}

export function TableHead({ children }: { readonly children: ReactNode }) {
  return (
    <thead className="narrow:sr-only">
      <tr>{children}</tr>
    </thead>
  )
}

interface HeadProps extends Omit<ComponentProps<'th'>, 'children'> {
  readonly children?: ReactNode
  readonly isTight?: boolean
  readonly isEnd?: boolean
  /** How it is sorted now; `none` when it can be. Left out: it cannot. */
  readonly sort?: 'ascending' | 'descending' | 'none'
  readonly onSort?: () => void
}

export function Th({
  children,
  isTight = false,
  isEnd = false,
  sort,
  onSort,
  className,
  ...rest
}: HeadProps) {
  const t = useTexts(componentTexts)
  return (
    <th
      scope="col"
      {...rest}
      aria-sort={sort}
      className={clsx(
        'h-8.5 border-b border-line bg-sunken px-3 text-12 font-[450] whitespace-nowrap text-muted',
        isEnd ? 'text-end' : 'text-start',
        isTight && 'w-px pe-0!',
        className,
      )}
    >
      {onSort === undefined ? (
        children
      ) : (
        <button
          type="button"
          className="-mx-1 inline-flex h-6 items-center gap-1 rounded-1 px-1 hover:text-text"
          title={t.sortedBy(String(children))}
          onClick={onSort}
        >
          {children}
          {sort === 'descending' && <Icon of={ArrowDown} small />}
          {sort === 'ascending' && <Icon of={ArrowUp} small />}
        </button>
      )}
    </th>
  )
}

interface RowProps extends ComponentProps<'tr'> {
  /** The row that the keys are about. */
  readonly isCursor?: boolean
  readonly isSelected?: boolean | undefined
  /** Others have changed it a moment ago. */
  readonly isChanged?: boolean
  readonly needsAttention?: boolean
}

export function Tr({
  isCursor = false,
  isSelected,
  isChanged = false,
  needsAttention = false,
  className,
  ...rest
}: RowProps) {
  return (
    <tr
      {...rest}
      data-cursor={isCursor || undefined}
      data-selected={isSelected || undefined}
      className={clsx(
        'group/row border-b border-line last:border-b-0',
        isSelected
          ? 'bg-accent-soft'
          : needsAttention
            ? 'bg-draft-soft'
            : 'hover:bg-[color-mix(in_oklch,var(--hover)_45%,transparent)]',
        isCursor && 'shadow-[inset_2px_0_0_var(--accent-mark)]',
        isChanged && 'glow',
        'narrow:grid narrow:items-center narrow:gap-x-3 narrow:gap-y-1.5 narrow:py-3 narrow:ps-4 narrow:pe-2',
        className,
      )}
    />
  )
}

export function Td({
  isTight = false,
  isEnd = false,
  className,
  ...rest
}: ComponentProps<'td'> & { readonly isTight?: boolean; readonly isEnd?: boolean }) {
  return (
    <td
      {...rest}
      className={clsx(
        'h-row px-3 py-1 align-middle narrow:block narrow:h-auto narrow:min-w-0 narrow:p-0',
        isTight && 'pe-0! md:w-px',
        isEnd && 'text-end',
        className,
      )}
    />
  )
}
