import type {
  ConstraintDocument,
  RolloutDocument,
  RuleDocument,
  SegmentOperator,
} from '@svc/client/api'
import { plain, sentenceOf } from '../constraints/sentence.ts'
import type { ConstraintTexts } from '../constraints/texts.ts'
import type { Format } from '../text/format.ts'
import { clean, deleted, inserted } from './marked.tsx'
import type { ReviewTexts } from './texts.ts'

/** What is to be known of a segment that rules name. */
export interface KnownSegment {
  readonly key: string
  readonly name: string
  /** Whether it has no constraints. */
  readonly matchesEveryone?: boolean | undefined
}

/** What sentences are made with. */
export interface Words {
  readonly t: ReviewTexts
  readonly c: ConstraintTexts
  readonly format: Format
  readonly segments: readonly KnownSegment[]
}

export type Split = RuleDocument['distributions']

export function nameOfSegment(key: string, { segments }: Words): string {
  return clean(segments.find((segment) => segment.key === key)?.name || key)
}

export function isForEveryone(key: string, { segments }: Words): boolean {
  return segments.some((segment) => segment.key === key && segment.matchesEveryone === true)
}

/** `Beta users or Staff` */
export function tellSegments(
  keys: readonly string[],
  operator: SegmentOperator,
  words: Words,
  mark: (name: string, key: string) => string = (name) => name,
): string {
  const names = keys.map((key) => mark(nameOfSegment(key, words), key))
  const { list, choice } = words.format
  return operator === 'AND_SEGMENT_OPERATOR' ? list(names) : choice(names)
}

/** With what comes and what goes. */
export function tellSegmentsChange(
  before: readonly string[],
  after: readonly string[],
  operator: SegmentOperator,
  words: Words,
): string {
  const all = [...after, ...before.filter((key) => !after.includes(key))]
  return tellSegments(all, operator, words, (name, key) => {
    if (!before.includes(key)) return inserted(name)
    return after.includes(key) ? name : deleted(name)
  })
}

export function tellValue(value: boolean, { t }: Words): string {
  return value ? t.on : t.off
}

/** `blue`, or `blue 60% and green 40%` */
export function tellSplit(split: Split, { t, format }: Words): string {
  const [first, ...others] = split
  if (first === undefined) return t.nothingServed
  if (others.length === 0 && first.rollout === 100) return clean(first.variant)
  return format.list(
    split.map(({ variant, rollout }) => `${clean(variant)} ${format.exactShare(rollout)}`),
  )
}

export function tellSplitChange(before: Split, after: Split, { t, format }: Words): string {
  const find = (split: Split, key: string) => split.find(({ variant }) => variant === key)?.rollout
  const gone = before.filter(({ variant }) => find(after, variant) === undefined)
  if (after.length + gone.length === 0) return t.nothingServed
  return format.list(
    [...after, ...gone].map(({ variant }) => {
      const [was, is] = [find(before, variant), find(after, variant)]
      const name = clean(variant)
      if (is === undefined) return deleted(`${name} ${format.exactShare(was ?? 0)}`)
      if (was === undefined) return inserted(`${name} ${format.exactShare(is)}`)
      if (was === is) return `${name} ${format.exactShare(is)}`
      return `${name} ${deleted(format.exactShare(was))} ${inserted(format.exactShare(is))}`
    }),
  )
}

/** What a percentage is of; nothing where that is not known. */
export type OfWhom = 'everyone' | 'rest' | undefined

/** `If in Beta users, serve On.` */
export function tellRollout(
  { segment, threshold }: RolloutDocument,
  ofWhom: OfWhom,
  words: Words,
): string {
  const { t, format } = words
  if (segment !== undefined) {
    const who = tellSegments(segment.segments, segment.operator, words)
    return t.ifIn(who, tellValue(segment.value, words))
  }
  const { percentage = 0, value = false } = threshold ?? {}
  return t.forShare(format.exactShare(percentage), ofWhom, tellValue(value, words))
}

export function tellRule(
  { segments, operator, distributions }: RuleDocument,
  words: Words,
): string {
  return words.t.ifIn(tellSegments(segments, operator, words), tellSplit(distributions, words))
}

export function tellConstraint(constraint: ConstraintDocument, { c, format }: Words): string {
  return clean(plain(sentenceOf(constraint, c, format)))
}
