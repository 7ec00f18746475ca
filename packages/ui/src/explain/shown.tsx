import type { Explanation } from '@svc/client/api'
import type { ReactNode } from 'react'
import { VariantKey } from '../components/chip.tsx'
import { Dial } from '../components/dial.tsx'
import { type Hue, hueOf } from '../components/hue.ts'
import { componentTexts } from '../components/texts.ts'
import { useFormat, useTexts } from '../text/texts.ts'
import { servedText, type Words } from './sentences.ts'
import { explainTexts } from './texts.ts'

/** What an explanation is shown with. */
export interface ExplanationProps {
  readonly explanation: Explanation
  /** What was asked, such as the flag and the entity. */
  readonly start: ReactNode
  /** The names of segments by their keys. A key stands for itself without one. */
  readonly segmentNames: ReadonlyMap<string, string>
  /** The keys of the flag's variants, in their order: it gives them their colours. */
  readonly variants: readonly string[]
  /** The key of the default variant. */
  readonly preset: string | undefined
  /** A link to the rule or rollout, around what it asks. */
  readonly stepLink?: (place: number, children: ReactNode) => ReactNode
  /** A link to a segment, around its name. */
  readonly segmentLink?: (key: string, children: ReactNode) => ReactNode
  /** Puts a property that a constraint misses into the context. */
  readonly onAdd?: (property: string) => void
  /** Whether what was found is folded below each step, where there is little room. */
  readonly isFolded?: boolean
}

/** What sentences about an explanation are made with. */
export function useWords(segmentNames: ReadonlyMap<string, string>): Words {
  const t = useTexts(explainTexts)
  const { on, off } = useTexts(componentTexts)
  const format = useFormat()
  return { t, on, off, format, segmentName: (key) => segmentNames.get(key) || key }
}

/** The colour of a value that a step serves. */
export function hueFor(
  serves: string,
  { type }: Pick<Explanation, 'type'>,
  variants: readonly string[],
): Hue {
  if (type === 'BOOLEAN_FLAG_TYPE') return serves === 'true' ? 'on' : 'none'
  const place = variants.indexOf(serves)
  return place === -1 ? 'none' : hueOf(place)
}

/** What is served, with its colour. */
export function Served({
  explanation,
  variants,
  words,
}: {
  readonly explanation: Explanation
  readonly variants: readonly string[]
  readonly words: Words
}) {
  const text = servedText(explanation, words)
  const key = explanation.variant?.variantKey ?? ''
  if (explanation.boolean === undefined)
    return <VariantKey name={text} hue={hueFor(key, explanation, variants)} />
  return (
    <b className="inline-flex items-center gap-1.5 text-12">
      <Dial share={explanation.boolean.enabled ? 100 : 0} />
      {text}
    </b>
  )
}
