import type { Namespace } from '@svc/client/api'
import { Link, useLocation } from '@tanstack/react-router'
import clsx from 'clsx'
import {
  Activity,
  ArrowLeftRight,
  Blend,
  CircleHelp,
  FileUp,
  Flag,
  History,
  KeyRound,
  type LucideIcon,
  MonitorSmartphone,
  ScrollText,
  Search,
  SlidersHorizontal,
  SquareTerminal,
} from 'lucide-react'
import type { ReactNode } from 'react'
import { Icon } from '../components/icon.tsx'
import { Keys } from '../components/keys.tsx'
import { Tooltip } from '../components/tooltip.tsx'
import { useFormat, useTexts } from '../text/texts.ts'
import { openLayer } from './actions.ts'
import { NamespaceSwitcher } from './namespace-switcher.tsx'
import { PersonMenu } from './person-menu.tsx'
import { appTexts } from './texts.ts'

interface Props {
  readonly namespace: Namespace | undefined
  /** Icons alone. Between 768 and 1000 px it is so by itself. */
  readonly isFolded: boolean
  readonly onNavigate?: () => void
}

/**
 * What is hidden when the bar shows icons only: `folded` is set by the reader, `narrow bar` by the width.
 */
export const foldable = 'group-data-folded/bar:sr-only md:max-lg:group-data-bar/bar:sr-only'
const foldableGone = 'group-data-folded/bar:hidden md:max-lg:group-data-bar/bar:hidden'
export const foldableRow =
  'group-data-folded/bar:justify-center group-data-folded/bar:px-0 md:max-lg:group-data-bar/bar:justify-center md:max-lg:group-data-bar/bar:px-0'

export function SideBar({ namespace, isFolded, onNavigate }: Props) {
  const t = useTexts(appTexts)
  const { number } = useFormat()
  // Two pages, and one item of the bar.
  const isExport = useLocation({ select: ({ pathname }) => pathname === '/export' })
  const inNamespace = (page: string) => `/ns/${namespace?.key ?? ''}/${page}`
  const count = (value: number | undefined) => (value === undefined ? undefined : number(value))
  const item = { isFolded, ...(onNavigate && { onNavigate }) }
  return (
    <nav
      aria-label={t.main}
      className="group/bar flex h-full min-h-0 flex-col gap-3 overflow-y-auto py-3 ps-3 pe-2 pb-2 [scrollbar-width:thin] data-folded:px-2 md:max-lg:data-bar:px-2"
      data-folded={isFolded || undefined}
      data-bar={onNavigate === undefined || undefined}
    >
      <NamespaceSwitcher current={namespace} />
      <button
        type="button"
        className={clsx(
          'flex h-control w-full flex-none items-center gap-2 rounded-3 border border-line-strong bg-surface px-2 text-13 text-muted hover:border-control touch:min-h-11',
          foldableRow,
        )}
        aria-keyshortcuts="Control+K Meta+K"
        onClick={() => {
          onNavigate?.()
          openLayer('palette')
        }}
      >
        <Icon of={Search} />
        <span className={clsx('min-w-0 flex-1 truncate', foldable)}>{t.searchOrGo}</span>
        <Keys of="mod k" className={foldableGone} />
      </button>
      <div>
        {namespace && (
          <ul className="grid gap-px">
            <NavItem
              {...item}
              icon={Flag}
              to={inNamespace('flags')}
              count={count(namespace.flagCount)}
            >
              {t.pages.flags}
            </NavItem>
            <NavItem
              {...item}
              icon={Blend}
              to={inNamespace('segments')}
              count={count(namespace.segmentCount)}
            >
              {t.pages.segments}
            </NavItem>
            <NavItem {...item} icon={SquareTerminal} to={inNamespace('console')}>
              {t.pages.console}
            </NavItem>
            <NavItem {...item} icon={History} to={inNamespace('changes')}>
              {t.pages.changes}
            </NavItem>
            <NavItem {...item} icon={ArrowLeftRight} to="/compare">
              {t.pages.compare}
            </NavItem>
          </ul>
        )}
        <p className={clsx('px-2 pt-3 pb-1 text-12 text-faint', foldableGone)}>{t.installation}</p>
        <ul className="grid gap-px group-data-folded/bar:mt-3 md:max-lg:group-data-bar/bar:mt-3">
          <NavItem {...item} icon={ScrollText} to="/audit">
            {t.pages.audit}
          </NavItem>
          <NavItem {...item} icon={Activity} to="/status">
            {t.pages.status}
          </NavItem>
          <NavItem {...item} icon={KeyRound} to="/tokens">
            {t.pages.tokens}
          </NavItem>
          <NavItem {...item} icon={MonitorSmartphone} to="/sessions">
            {t.pages.sessions}
          </NavItem>
          <NavItem {...item} icon={FileUp} to="/import" isCurrent={isExport}>
            {t.pages.files}
          </NavItem>
          <NavItem {...item} icon={SlidersHorizontal} to="/settings">
            {t.pages.settings}
          </NavItem>
        </ul>
      </div>
      <div className="mt-auto grid grid-cols-[minmax(0,1fr)] gap-px">
        <button
          type="button"
          className={clsx(navLook, foldableRow)}
          aria-keyshortcuts="?"
          onClick={() => {
            onNavigate?.()
            openLayer('shortcuts')
          }}
        >
          <Icon of={CircleHelp} />
          <span className={clsx('flex-1', foldable)}>{t.help}</span>
          <Keys of="?" className={foldableGone} />
        </button>
        <PersonMenu />
      </div>
    </nav>
  )
}

const navLook =
  'flex h-control w-full items-center gap-2.5 rounded-2 px-2 text-13 font-[450] text-muted hover:bg-hover hover:text-text touch:min-h-11 ' +
  'aria-[current=page]:bg-raised aria-[current=page]:font-medium aria-[current=page]:text-text aria-[current=page]:ring-1 aria-[current=page]:ring-line'

interface NavItemProps {
  readonly icon: LucideIcon
  readonly to: string
  readonly count?: string | undefined
  readonly children: ReactNode
  readonly isFolded: boolean
  /** Besides at its own address. */
  readonly isCurrent?: boolean
  readonly onNavigate?: () => void
}

function NavItem({
  icon,
  to,
  count,
  children,
  isFolded,
  isCurrent = false,
  onNavigate,
}: NavItemProps) {
  const link = (
    <Link
      to={to}
      className={clsx(navLook, foldableRow)}
      activeProps={{ 'aria-current': 'page' }}
      aria-current={isCurrent ? 'page' : undefined}
      {...(onNavigate && { onClick: onNavigate })}
    >
      <Icon of={icon} />
      <span className={clsx('min-w-0 flex-1 truncate', foldable)}>{children}</span>
      {count !== undefined && (
        <span className={clsx('text-12 text-faint', foldableGone)}>{count}</span>
      )}
    </Link>
  )
  return (
    <li>
      {isFolded && typeof children === 'string' ? (
        <Tooltip text={children} side="right">
          {link}
        </Tooltip>
      ) : (
        link
      )}
    </li>
  )
}
