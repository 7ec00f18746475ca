import clsx from 'clsx'
import { Check, TriangleAlert } from 'lucide-react'
import type { ReactNode } from 'react'
import { Icon } from '../../components/icon.tsx'
import type { ReadyPart } from '../../data/status.ts'
import { useFormat, useTexts } from '../../text/texts.ts'
import { statusTexts } from './texts.ts'

interface FactProps {
  readonly title: ReactNode
  readonly value: string
  readonly unit?: string
  readonly className?: string
  readonly children: ReactNode
}

/** One number of the installation, large, and what it is about. */
export function Fact({ title, value, unit = '', className, children }: FactProps) {
  return (
    <section className={clsx('min-w-0 rounded-3 border border-line bg-raised p-4', className)}>
      <h2 className="flex min-h-7 items-center text-12 font-[450] text-muted">{title}</h2>
      <p className="text-32 leading-tight font-strong tracking-title wrap-anywhere">
        {value}
        {unit !== '' && <span className="text-16 font-normal text-muted"> {unit}</span>}
      </p>
      <div className="mt-1.5 grid gap-2 text-13">{children}</div>
    </section>
  )
}

export function Pairs({ pairs }: { readonly pairs: readonly (readonly [string, string])[] }) {
  return (
    <dl className="mt-1 grid gap-1">
      {pairs.map(([name, value]) => (
        <div key={name} className="flex gap-3">
          <dt className="flex-1 text-muted">{name}</dt>
          <dd className="min-w-0 wrap-anywhere">{value}</dd>
        </div>
      ))}
    </dl>
  )
}

/** A service that the gateway follows. */
export function PartRow({ title, part }: { readonly title: string; readonly part: ReadyPart }) {
  const t = useTexts(statusTexts)
  const { number } = useFormat()
  const { state, ageSeconds } = part
  const isFine = state === 'current'
  const text = t.partStates[state]
  return (
    <li className="flex min-h-11 flex-wrap items-center gap-x-3 gap-y-0.5 rounded-3 border border-line bg-raised px-4 py-2 text-13">
      <Icon of={isFine ? Check : TriangleAlert} className={isFine ? 'text-on' : 'text-draft'} />
      <span className="flex-1 font-medium">{title}</span>
      <span className={isFine ? 'text-muted' : 'text-draft'}>
        {ageSeconds === undefined ? text : t.partAge(text, `${number(ageSeconds)} s`)}
      </span>
    </li>
  )
}
