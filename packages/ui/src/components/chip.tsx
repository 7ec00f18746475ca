import clsx from 'clsx'
import { X } from 'lucide-react'
import type { ReactNode } from 'react'
import { useTexts } from '../text/texts.ts'
import type { Hue } from './hue.ts'
import { Icon } from './icon.tsx'
import { componentTexts } from './texts.ts'

export function Tag({ children }: { readonly children: ReactNode }) {
  return (
    <span className="inline-flex min-h-5 max-w-40 items-center rounded-[0.3125rem] border border-line-strong px-1.5 text-12 font-[450] text-muted">
      <span className="truncate">{children}</span>
    </span>
  )
}

const badges = {
  plain: 'bg-hover text-muted',
  on: 'bg-on-soft text-on',
  draft: 'bg-draft-soft text-draft',
  danger: 'bg-danger-soft text-danger',
  accent: 'bg-accent-soft text-accent',
}

interface BadgeProps {
  readonly look?: keyof typeof badges
  readonly children: ReactNode
}

export function Badge({ look = 'plain', children }: BadgeProps) {
  return (
    <span
      className={clsx(
        'inline-flex min-h-5 items-center gap-1 rounded-[0.3125rem] px-1.75 text-12 font-[450] whitespace-nowrap',
        badges[look],
      )}
    >
      {children}
    </span>
  )
}

interface ChipProps {
  readonly children: ReactNode
  readonly name: string
  readonly onRemove?: () => void
  readonly isMono?: boolean
  readonly isShaking?: boolean
}

/** A value in a field, or what was chosen. */
export function Chip({ children, name, onRemove, isMono = false, isShaking = false }: ChipProps) {
  const t = useTexts(componentTexts)
  return (
    <span
      className={clsx(
        'inline-flex min-h-5.5 max-w-full items-center gap-1 rounded-[0.3125rem] bg-hover ps-1.75 text-12 font-[450]',
        onRemove === undefined && 'pe-1.75',
        isMono && 'font-mono',
        isShaking && 'shake',
      )}
    >
      <span className="min-w-0 truncate">{children}</span>
      {onRemove && (
        <button
          type="button"
          tabIndex={-1}
          className="grid size-6 flex-none place-items-center rounded-1 text-faint hover:bg-pressed hover:text-text"
          aria-label={t.remove(name)}
          onClick={onRemove}
        >
          <Icon of={X} small />
        </button>
      )}
    </span>
  )
}

/** The key of a variant, with its colour. */
export function VariantKey({ name, hue }: { readonly name: string; readonly hue: Hue }) {
  return (
    <span className="inline-flex max-w-full min-w-0 items-center gap-1.5 font-mono text-12">
      <HueDot hue={hue} />
      <span className="truncate">{name}</span>
    </span>
  )
}

export function HueDot({ hue }: { readonly hue: Hue }) {
  return (
    <i
      data-hue={hue}
      className="hue-fill size-2.5 flex-none rounded-[0.1875rem]"
      aria-hidden="true"
    />
  )
}

/** Something was changed and is not saved. */
export function DraftDot({ label }: { readonly label: string }) {
  return (
    <span
      className="inline-block size-1.75 flex-none rounded-full bg-draft-mark"
      role="img"
      aria-label={label}
    />
  )
}
