import clsx from 'clsx'
import { Check } from 'lucide-react'
import type { ReactNode } from 'react'
import { Icon } from '../../components/icon.tsx'
import { Stop } from '../../components/rail.tsx'
import { useTexts } from '../../text/texts.ts'
import { welcomeTexts } from './texts.ts'

interface Props {
  /** From 1. */
  readonly place: number
  readonly state: 'done' | 'current' | 'later'
  readonly title: ReactNode
  /** At the end of the title. */
  readonly end?: ReactNode
  readonly children?: ReactNode
}

/** One of the first steps, on the rail. */
export function Step({ place, state, title, end, children }: Props) {
  const t = useTexts(welcomeTexts)
  const isCurrent = state === 'current'
  return (
    <Stop
      node={state === 'done' ? <Icon of={Check} small /> : place}
      path={state === 'done' ? 'passed' : isCurrent ? 'hit' : undefined}
      aria-current={isCurrent ? 'step' : undefined}
      data-step={state}
    >
      <div
        className={clsx(
          'rounded-3 border px-4 py-3',
          isCurrent ? 'border-accent-mark bg-raised ring-1 ring-accent-mark' : 'border-transparent',
        )}
      >
        <div className="flex flex-wrap items-baseline gap-x-3">
          <h2 className={clsx('min-w-0 flex-1', state === 'later' && 'font-medium! text-muted')}>
            {state === 'done' && <span className="sr-only">{t.done}</span>}
            {title}
          </h2>
          {end !== undefined && <span className="text-12 text-muted">{end}</span>}
        </div>
        {children !== undefined && <div className="mt-1.5 grid min-w-0 gap-3">{children}</div>}
      </div>
    </Stop>
  )
}
