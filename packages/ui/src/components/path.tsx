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
      <RuleCard path={state}>
        <div className="flex min-h-11 flex-wrap items-center gap-2 px-4 py-2 text-13">
          <span className="sr-only">{t[state]}: </span>
          <span className="min-w-0 flex-1">{title}</span>
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
}

/** One condition and what was found. */
export function PathReason({ isMet, children, found }: ReasonProps) {
  const picture = isMet === undefined ? Minus : isMet ? Check : X
  return (
    <div className="grid grid-cols-[1rem_minmax(7rem,1.35fr)_minmax(0,1fr)] items-baseline gap-2 px-4 py-1.25">
      <Icon
        of={picture}
        small
        className={clsx('translate-y-0.5', isMet === true ? 'text-on' : 'text-faint')}
      />
      <span className="min-w-0 wrap-anywhere">{children}</span>
      <span className="min-w-0 text-muted wrap-anywhere">{found}</span>
    </div>
  )
}
