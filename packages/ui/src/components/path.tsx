import clsx from 'clsx'
import { Check, Minus, X } from 'lucide-react'
import type { ReactNode } from 'react'
import { useTexts } from '../text/texts.ts'
import { Icon } from './icon.tsx'
import { type PathState, Rail, RuleCard, StartStop, Stop } from './rail.tsx'
import { componentTexts } from './texts.ts'

interface PathProps {
  readonly label: string
  /** What was asked, such as `user-42 in Production`. */
  readonly start: ReactNode
  readonly children: ReactNode
}

/** The way of a question to its answer. */
export function Path({ label, start, children }: PathProps) {
  return (
    <Rail label={label}>
      <StartStop>{start}</StartStop>
      {children}
    </Rail>
  )
}

interface PathStopProps {
  readonly node: ReactNode
  readonly state: PathState
  readonly title: ReactNode
  /** At the end of the title, such as the answer. */
  readonly end?: ReactNode
  /** {@link PathReason}s, or the ruler with the pin. */
  readonly children?: ReactNode
}

export function PathStop({ node, state, title, end, children }: PathStopProps) {
  const t = useTexts(componentTexts)
  return (
    <Stop node={node} path={state}>
      <RuleCard path={state} className="@container overflow-clip">
        <div className="flex min-h-11 flex-wrap items-center gap-x-3 gap-y-0.5 px-4 py-2 text-13">
          <span className="sr-only">{t[state]}: </span>
          <span className="min-w-28 flex-1 wrap-anywhere">{title}</span>
          {end}
        </div>
        {children !== undefined && <div className="border-t border-line text-12">{children}</div>}
      </RuleCard>
    </Stop>
  )
}

interface ReasonProps {
  /** Whether it was met; nothing: it was not looked at. */
  readonly isMet: boolean | undefined
  readonly children: ReactNode
  /** What was found, such as `country is DE`. */
  readonly found?: ReactNode
  /** Whether the answer does not hang on it. */
  readonly isMinor?: boolean
}

/** One condition and what was found; below it, where there is little room. */
export function PathReason({ isMet, children, found, isMinor = false }: ReasonProps) {
  return (
    <div
      className={clsx(
        'grid grid-cols-[1rem_minmax(0,1fr)] items-baseline gap-x-2 px-4 py-1.25 @min-[28rem]:grid-cols-[1rem_minmax(7rem,1.35fr)_minmax(0,1fr)]',
        isMinor && 'text-muted',
      )}
    >
      <Mark isMet={isMet} />
      <span className="min-w-0 wrap-anywhere">{children}</span>
      <span className="col-start-2 min-w-0 text-muted wrap-anywhere @min-[28rem]:col-start-3">
        {found}
      </span>
    </div>
  )
}

/** What the reasons below it are about, such as a segment. */
export function PathHeading({
  isMet,
  children,
}: {
  readonly isMet: boolean
  readonly children: ReactNode
}) {
  return (
    <div className="grid grid-cols-[1rem_minmax(0,1fr)] items-baseline gap-x-2 border-line bg-sunken px-4 py-2 not-first:border-t">
      <Mark isMet={isMet} />
      <span className="flex min-w-0 flex-wrap gap-x-2 wrap-anywhere">{children}</span>
    </div>
  )
}

function Mark({ isMet }: { readonly isMet: boolean | undefined }) {
  const t = useTexts(componentTexts)
  const picture = isMet === undefined ? Minus : isMet ? Check : X
  return (
    <span className="translate-y-0.5">
      <Icon of={picture} small className={isMet === true ? 'text-on' : 'text-faint'} />
      <span className="sr-only">{isMet === undefined ? t.unreached : isMet ? t.met : t.unmet}</span>
    </span>
  )
}
