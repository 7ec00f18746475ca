import { useEffect, useState } from 'react'
import { useFormat } from '../text/texts.ts'
import { Tooltip } from './tooltip.tsx'

/** How often what it says is made anew, in milliseconds. */
const everyMs = 30_000

/** An instant as people say it, such as `12 min ago`; the date and time on hover and focus. */
export function Time({
  at,
  className,
}: {
  readonly at: string | undefined
  readonly className?: string
}) {
  const format = useFormat()
  const [, setCount] = useState(0)
  useEffect(() => {
    const timer = setInterval(() => setCount((count) => count + 1), everyMs)
    return () => clearInterval(timer)
  }, [])
  if (at === undefined) return null
  return (
    <Tooltip text={format.dateTime(at)}>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: the tooltip has to be had by keyboard */}
      <time dateTime={at} tabIndex={0} className={className ?? 'whitespace-nowrap'}>
        {format.relative(at)}
      </time>
    </Tooltip>
  )
}
