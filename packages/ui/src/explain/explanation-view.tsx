import clsx from 'clsx'
import type { ReactNode } from 'react'
import { Dial } from '../components/dial.tsx'
import type { Hue } from '../components/hue.ts'
import { Note } from '../components/note.tsx'
import { Rich } from '../text/rich.tsx'
import { ExplanationPath } from './explanation-path.tsx'
import { headline, reasonText, remarks } from './sentences.ts'
import { type ExplanationProps, hueFor, useWords } from './shown.tsx'

interface ViewProps extends ExplanationProps {
  /** Beside the answer. */
  readonly actions?: ReactNode
  /** In the place of the path. */
  readonly instead?: ReactNode
}

/** The answer, why it is that, and the way to it. */
export function ExplanationView({ actions, instead, ...props }: ViewProps) {
  const { explanation, segmentNames, variants, isFolded = false } = props
  const words = useWords(segmentNames)
  const { boolean, variant } = explanation
  const reason = reasonText(explanation, words)
  return (
    <div className="grid min-w-0 grid-cols-[minmax(0,1fr)] content-start gap-4">
      <div className="flex flex-wrap items-start gap-x-4 gap-y-2">
        <div
          role="status"
          aria-label={words.t.answer}
          className={clsx(
            'grid min-w-52 flex-1 grid-cols-[auto_minmax(0,1fr)] gap-x-3',
            !isFolded && 'items-center [&_.dial]:size-7 [&_.dial]:border-2',
          )}
        >
          <span className={clsx(isFolded && 'mt-1')}>
            {boolean !== undefined ? (
              <span className="flex">
                <Dial share={boolean.enabled ? 100 : 0} />
              </span>
            ) : (
              <HueMark
                hue={hueFor(variant?.variantKey ?? '', explanation, variants)}
                isLarge={!isFolded}
              />
            )}
          </span>
          <div className="min-w-0 text-pretty wrap-anywhere">
            <p
              className={
                isFolded ? 'font-strong' : 'text-20 leading-tight font-strong tracking-title'
              }
            >
              {headline(explanation, words)}
            </p>
            {reason !== '' && (
              <p className="text-13 text-muted">
                <Rich text={reason} />
              </p>
            )}
          </div>
        </div>
        {actions}
      </div>
      {remarks(explanation, words).map((text) => (
        <Note key={text} kind="attention">
          {text}
        </Note>
      ))}
      {instead ?? <ExplanationPath {...props} words={words} />}
    </div>
  )
}

function HueMark({ hue, isLarge }: { readonly hue: Hue; readonly isLarge: boolean }) {
  return (
    <i
      data-hue={hue}
      className={clsx('hue-fill block rounded-[0.1875rem]', isLarge ? 'size-6' : 'size-3.5')}
      aria-hidden="true"
    />
  )
}
