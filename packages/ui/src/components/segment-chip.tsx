import clsx from 'clsx'
import { Blend, TriangleAlert, X } from 'lucide-react'
import type { ReactNode } from 'react'
import { useTexts } from '../text/texts.ts'
import { Badge } from './chip.tsx'
import { Icon } from './icon.tsx'
import { componentTexts } from './texts.ts'

interface Props {
  readonly segmentKey: string
  readonly name: string
  /** A link to it, around its name. */
  readonly link?: (name: string) => ReactNode
  readonly state?: 'usual' | 'new' | 'missing' | 'everyone'
  readonly onRemove?: () => void
}

/** A segment in a rule. Delete takes it out. */
export function SegmentChip({ segmentKey, name, link, state = 'usual', onRemove }: Props) {
  const t = useTexts(componentTexts)
  const isOdd = state === 'missing' || state === 'everyone'
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: the link and the button inside have the focus
    <span
      className={clsx(
        'inline-flex min-h-7 max-w-full items-center gap-1.5 rounded-[0.3125rem] border bg-raised ps-2 text-13 touch:min-h-9',
        onRemove === undefined && 'pe-2',
        state === 'usual' && 'border-control',
        state === 'new' && 'border-dashed border-draft-mark',
        isOdd && 'border-draft-line bg-draft-soft',
      )}
      onKeyDown={({ key }) => {
        if (key === 'Delete' || key === 'Backspace') onRemove?.()
      }}
    >
      <Icon
        of={isOdd ? TriangleAlert : Blend}
        small
        className={isOdd ? 'text-draft' : 'text-muted'}
      />
      <span className="min-w-0 truncate">
        {state === 'missing' ? t.segmentMissing(segmentKey) : (link?.(name) ?? name)}
      </span>
      {state === 'new' && <Badge look="draft">{t.new}</Badge>}
      {state === 'everyone' && <span className="text-12 text-draft">{t.matchesEveryone}</span>}
      {onRemove && (
        <button
          type="button"
          className="grid size-6 flex-none place-items-center rounded-1 text-faint hover:bg-hover hover:text-text"
          aria-label={t.remove(name)}
          onClick={onRemove}
        >
          <Icon of={X} small />
        </button>
      )}
    </span>
  )
}
