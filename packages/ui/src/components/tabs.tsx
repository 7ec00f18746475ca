import clsx from 'clsx'
import type { ReactNode } from 'react'

interface Props {
  readonly label: string
  /** Links with the class of {@link tabClass}. */
  readonly children: ReactNode
  readonly className?: string
}

/** Pages beside each other: links, each with its own address. */
export function Tabs({ label, children, className }: Props) {
  return (
    <nav
      aria-label={label}
      className={clsx(
        'mb-6 flex gap-5 overflow-x-auto border-b border-line [scrollbar-width:none] narrow:-mx-4 narrow:px-4',
        className,
      )}
    >
      {children}
    </nav>
  )
}

export const tabClass =
  '-mb-px inline-flex min-h-9.5 flex-none items-center gap-1.5 border-b-2 border-transparent px-px text-13 font-medium ' +
  'whitespace-nowrap text-muted hover:text-text aria-[current=page]:border-text aria-[current=page]:text-text ' +
  'focus-visible:-outline-offset-2 touch:min-h-11'

interface SegmentedProps<Value> {
  readonly label: string
  readonly value: Value
  readonly choices: readonly (readonly [value: Value, text: ReactNode])[]
  readonly onChange: (value: Value) => void
}

/** Two or three looks at the same thing. */
export function Segmented<Value extends string>({
  label,
  value,
  choices,
  onChange,
}: SegmentedProps<Value>) {
  return (
    <fieldset
      aria-label={label}
      className="inline-flex max-w-full flex-wrap gap-px rounded-2 bg-hover p-0.5"
    >
      {choices.map(([one, text]) => (
        <button
          key={one}
          type="button"
          aria-pressed={one === value}
          className="inline-flex min-h-6.5 items-center gap-1.5 rounded-1 px-2.5 text-12 font-medium whitespace-nowrap text-muted aria-pressed:bg-raised aria-pressed:text-text aria-pressed:ring-1 aria-pressed:ring-line-strong touch:min-h-9"
          onClick={() => onChange(one)}
        >
          {text}
        </button>
      ))}
    </fieldset>
  )
}
