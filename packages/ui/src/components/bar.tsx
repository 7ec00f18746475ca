import clsx from 'clsx'
import type { Share } from './hue.ts'

interface Props {
  readonly shares: readonly Share[]
  readonly className?: string
}

/** Shares of 100, stacked. A text beside it says the same. */
export function Bar({ shares, className }: Props) {
  const rest = 100 - shares.reduce((sum, { percentage }) => sum + percentage, 0)
  const seen = shares.filter(({ percentage }) => percentage > 0)
  return (
    <span
      className={clsx('flex h-1.75 w-full gap-0.5 overflow-hidden rounded-[0.1875rem]', className)}
      aria-hidden="true"
    >
      {seen.map(({ name, hue, percentage, look }) => (
        <i
          key={name}
          data-hue={hue}
          data-look={look}
          className="hue-fill min-w-0.5"
          style={{ flex: `${percentage} 1 0` }}
        />
      ))}
      {rest > 0.005 && (
        <i data-hue="none" className="hue-fill min-w-0.5" style={{ flex: `${rest} 1 0` }} />
      )}
    </span>
  )
}
