import type { ChangeKind } from '../components/diff.tsx'
import { isEqual } from '../data/draft.ts'
import type { Words } from './describe.ts'
import type { DocumentOf, Kind } from './documents.ts'
import { tellFlag } from './flag-sentences.ts'
import { tellSegment } from './segment-sentences.ts'

/** What it means for people. */
export interface Told {
  readonly text: string
  /** Whether it is likely not what was meant. */
  readonly isAttention: boolean
}

/** One change, as a person would count. Texts are for `<Marked>`. */
export interface Sentence {
  /** Names it among the others. */
  readonly path: string
  readonly kind: ChangeKind
  /** The first says it; more are of the same rule. */
  readonly titles: readonly string[]
  /** How it reads then, with what comes and goes. */
  readonly body?: string | undefined
  readonly effects: readonly Told[]
}

/** What a draft changes, in the order of the page. Nothing where only ids differ. */
export function sentencesOf<K extends Kind>(
  kind: K,
  base: DocumentOf[K],
  present: DocumentOf[K],
  words: Words,
): readonly Sentence[] {
  if (isEqual(base, present)) return []
  return kind === 'flag'
    ? tellFlag(base as DocumentOf['flag'], present as DocumentOf['flag'], words)
    : tellSegment(base as DocumentOf['segment'], present as DocumentOf['segment'], words)
}

export const fact = (text: string): Told => ({ text, isAttention: false })
export const attention = (text: string): Told => ({ text, isAttention: true })
