import type { ReactNode } from 'react'
import { Dial } from '../components/dial.tsx'
import type { Hue } from '../components/hue.ts'
import { Note } from '../components/note.tsx'
import { Rich } from '../text/rich.tsx'
import { ExplanationPath } from './explanation-path.tsx'
import { headline, reasonText, remarks } from './sentences.ts'
import { type ExplanationProps, hueFor, useWords } from './shown.tsx'

/** The answer, why it is that, and the way to it. */
export function ExplanationView(props: ExplanationProps & { readonly actions?: ReactNode }) {
  const { explanation, segmentNames, variants, actions, isFolded = false } = props
  const words = useWords(segmentNames)
  const { boolean, variant } = explanation
  const reason = reasonText(explanation, words)
  return (
    <div className="grid min-w-0 grid-cols-[minmax(0,1fr)] gap-4">
      <div className="flex flex-wrap items-start gap-x-4 gap-y-2">
        <div role="status" aria-label={words.t.answer} className="min-w-52 flex-1">
          <p
            className={
              isFolded
                ? 'flex gap-2 text-14 font-strong text-pretty'
                : 'flex items-start gap-3 text-20 leading-tight font-strong tracking-title text-pretty'
            }
          >
            <span className={isFolded ? 'mt-1' : 'mt-1.25'}>
              {boolean !== undefined ? (
                <Dial share={boolean.enabled ? 100 : 0} />
              ) : (
                <HueMark hue={hueFor(variant?.variantKey ?? '', explanation, variants)} />
              )}
            </span>
            <span className="min-w-0 wrap-anywhere">{headline(explanation, words)}</span>
          </p>
          {reason !== '' && (
            <p className="mt-1 text-13 text-pretty text-muted wrap-anywhere">
              <Rich text={reason} />
            </p>
          )}
        </div>
        {actions}
      </div>
      {remarks(explanation, words).map((text) => (
        <Note key={text} kind="attention">
          {text}
        </Note>
      ))}
      <ExplanationPath {...props} words={words} />
    </div>
  )
}

function HueMark({ hue }: { readonly hue: Hue }) {
  return (
    <i
      data-hue={hue}
      className="hue-fill block size-3.5 flex-none rounded-[0.1875rem]"
      aria-hidden="true"
    />
  )
}
