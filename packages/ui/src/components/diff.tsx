import clsx from 'clsx'
import type { ReactNode } from 'react'
import { useTexts } from '../text/texts.ts'
import type { DiffLine } from './line-diff.ts'
import { componentTexts } from './texts.ts'

export type ChangeKind = 'added' | 'removed' | 'changed' | 'moved'

const signs: Readonly<Record<ChangeKind, string>> = {
  added: '+',
  removed: '−',
  changed: '~',
  moved: '↕',
}

interface SentenceProps {
  readonly kind: ChangeKind
  readonly children: ReactNode
  /** What it means for people. */
  readonly effect?: ReactNode
}

/** Changes as sentences. Put `<ins>` and `<del>` around what comes and goes. */
export function ChangeList({ children }: { readonly children: ReactNode }) {
  return <ul className="divide-y divide-line">{children}</ul>
}

export function ChangeSentence({ kind, children, effect }: SentenceProps) {
  return (
    <li className="grid grid-cols-[1.25rem_minmax(0,1fr)] gap-3 py-4 first:pt-0 last:pb-0">
      <span
        aria-hidden="true"
        className={clsx(
          'grid size-5 place-items-center rounded-1 font-mono text-12',
          kind === 'added' && 'bg-add-soft text-on',
          kind === 'removed' && 'bg-del-soft text-danger',
          (kind === 'changed' || kind === 'moved') && 'bg-draft-soft text-draft',
        )}
      >
        {signs[kind]}
      </span>
      <div className="min-w-0 text-13 wrap-break-word">
        {children}
        {effect !== undefined && <p className="mt-1 text-12 text-muted">{effect}</p>}
      </div>
    </li>
  )
}

/** Lines of a text, such as YAML, that came and went. The signs are text: they are copied, too. */
export function LineDiff({
  lines,
  label,
}: {
  readonly lines: readonly DiffLine[]
  readonly label: string
}) {
  const t = useTexts(componentTexts)
  return (
    <section
      aria-label={label}
      // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls has to be reached by keyboard
      tabIndex={0}
      className="max-h-96 overflow-auto rounded-2 border border-line font-mono text-12 leading-[1.65]"
    >
      {lines.map(({ kind, text }, place) => {
        const sign = kind === 'added' ? '+' : kind === 'removed' ? '−' : ' '
        const look = clsx(
          'block px-3 whitespace-pre-wrap no-underline wrap-anywhere rounded-none',
          kind === 'added' && 'bg-add-soft',
          kind === 'removed' && 'bg-del-soft text-text',
        )
        const content = `${sign} ${text}`
        // Lines have no other name than their place.
        if (kind === 'added') {
          return (
            <ins key={place} className={look} title={t.added1}>
              {content}
            </ins>
          )
        }
        if (kind === 'removed') {
          return (
            <del key={place} className={look} title={t.removed}>
              {content}
            </del>
          )
        }
        return (
          <span key={place} className={look}>
            {content}
          </span>
        )
      })}
    </section>
  )
}
