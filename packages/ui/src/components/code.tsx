import clsx from 'clsx'
import type { ReactNode } from 'react'
import { CopyButton } from './copy-key.tsx'

interface Props {
  readonly text: string
  /** What it is, such as `curl`. */
  readonly label: string
  readonly children?: ReactNode
  readonly hasCopy?: boolean
  readonly className?: string
}

/** Something to copy. Children are its text with colours. */
export function Code({ text, label, children, hasCopy = true, className }: Props) {
  return (
    <figure className={clsx('relative min-w-0', className)}>
      <figcaption className="sr-only">{label}</figcaption>
      <pre
        // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls has to be reached by keyboard
        tabIndex={0}
        className={clsx(
          'overflow-auto rounded-3 border border-line bg-sunken px-4 py-3 text-12 leading-[1.65] whitespace-pre',
          hasCopy && 'pe-24',
        )}
      >
        {children ?? text}
      </pre>
      {hasCopy && (
        <span className="absolute end-2 top-2">
          <CopyButton text={text} size="small" />
        </span>
      )}
    </figure>
  )
}
