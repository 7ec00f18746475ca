import { Link } from '@tanstack/react-router'
import clsx from 'clsx'
import { ChevronRight } from 'lucide-react'
import type { ReactNode } from 'react'
import { Icon } from '../components/icon.tsx'
import { Tooltip } from '../components/tooltip.tsx'
import { useConnection } from '../data/connection.ts'
import { useLive } from '../data/live.ts'
import { useTexts } from '../text/texts.ts'
import { appTexts } from './texts.ts'

/** Where a page is: the last one is the page itself. */
export interface Crumb {
  readonly text: string
  readonly to?: string
}

interface Props {
  readonly path: readonly Crumb[]
  /** The namespace whose changes the page follows. */
  readonly live?: string
  readonly children?: ReactNode
}

export function Crumbs({ path, live, children }: Props) {
  const t = useTexts(appTexts)
  return (
    <div className="sticky top-0 z-bar flex h-11 items-center gap-2 border-b border-line bg-surface/90 ps-6 pe-4 text-13 text-muted backdrop-blur-md narrow:hidden">
      <nav aria-label={t.breadcrumb} className="min-w-0 flex-1">
        <ol className="flex min-w-0 items-center gap-1.5">
          {path.map(({ text, to }, place) => (
            <li
              key={place}
              className="flex min-w-0 items-center gap-1.5 last:shrink"
              aria-current={to === undefined ? 'page' : undefined}
            >
              {place > 0 && <Icon of={ChevronRight} small className="text-faint" />}
              {to === undefined ? (
                <span className="truncate font-medium text-text">{text}</span>
              ) : (
                <Link to={to} className="truncate hover:text-text">
                  {text}
                </Link>
              )}
            </li>
          ))}
        </ol>
      </nav>
      {children}
      {live !== undefined && <LiveMark namespaceKey={live} />}
    </div>
  )
}

function LiveMark({ namespaceKey }: { readonly namespaceKey: string }) {
  const t = useTexts(appTexts)
  const { state } = useLive(namespaceKey)
  const { isOnline } = useConnection()
  const isLive = isOnline && state !== 'off'
  const liveText = state === 'polling' ? t.polling : t.live
  const text = isLive ? liveText : isOnline ? t.notLive : t.isOffline
  return (
    <Tooltip text={isLive ? t.liveHelp : t.notLiveHelp} side="bottom">
      <button
        type="button"
        className="inline-flex h-6 cursor-default items-center gap-1.5 rounded-1 px-1 text-12 whitespace-nowrap"
      >
        <span
          className={clsx(
            'size-1.75 rounded-full',
            isLive ? 'bg-on-mark ring-3 ring-on-soft' : 'border-[1.5px] border-draft-mark',
          )}
          aria-hidden="true"
        />
        {text}
      </button>
    </Tooltip>
  )
}
