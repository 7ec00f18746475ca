import clsx from 'clsx'
import { type ReactNode, useEffect, useState } from 'react'
import { useTexts } from '../text/texts.ts'
import { componentTexts } from './texts.ts'

/** Until then nothing is shown: what is quick does not flicker. In milliseconds. */
const delayMs = 150
/** From then on a bar says that it goes on, in milliseconds. */
const slowMs = 1000

/** Shows its children once waiting takes time. */
export function Waiting({ children }: { readonly children: ReactNode }) {
  const t = useTexts(componentTexts)
  const [stage, setStage] = useState<'quick' | 'late' | 'slow'>('quick')
  useEffect(() => {
    const timers = [
      setTimeout(() => setStage('late'), delayMs),
      setTimeout(() => setStage('slow'), slowMs),
    ]
    return () => timers.forEach(clearTimeout)
  }, [])
  if (stage === 'quick') return null
  return (
    <div aria-busy="true">
      {stage === 'slow' && <div className="progress" />}
      <span role="status" className="sr-only">
        {t.loading}
      </span>
      <div aria-hidden="true">{children}</div>
    </div>
  )
}

/** A grey line in the place of a text. @param width such as `w-32` */
export function Bone({
  width,
  className,
}: {
  readonly width: string
  readonly className?: string
}) {
  return <span className={clsx('block h-2.5 max-w-full rounded-1 bg-hover', width, className)} />
}

/** Rows in the place of those of a table. */
export function SkeletonRows({ count = 8 }: { readonly count?: number }) {
  return (
    <div className="overflow-hidden rounded-3 border border-line bg-raised">
      <div className="h-8.5 border-b border-line bg-sunken" />
      {Array.from({ length: count }, (_, row) => (
        <div
          key={row}
          className="flex h-row items-center gap-6 border-b border-line px-3 last:border-b-0"
        >
          <Bone width="w-7.5" className="h-4.5! rounded-full!" />
          <span className="grid w-48 gap-2">
            <Bone width={row % 3 === 0 ? 'w-36' : 'w-28'} />
            <Bone width={row % 2 === 0 ? 'w-24' : 'w-32'} className="compact:hidden" />
          </span>
          <span className="grid w-52 gap-2 narrow:hidden">
            <Bone width="w-52" className="h-1.75!" />
            <Bone width="w-20" className="compact:hidden" />
          </span>
          <Bone width="w-24" className="ms-auto narrow:hidden" />
        </div>
      ))}
    </div>
  )
}
