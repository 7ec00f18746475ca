import type { FlagDocument, RuleDocument } from '@svc/client/api'
import { isEqual } from '../data/draft.ts'
import {
  type Split,
  tellRule,
  tellSegments,
  tellSegmentsChange,
  tellSplit,
  tellSplitChange,
  type Words,
} from './describe.ts'
import { withoutIds } from './documents.ts'
import { type Pair, pairUp, placeOf } from './elements.ts'
import { clean, deleted, inserted } from './marked.tsx'
import { attention, fact, type Sentence, type Told } from './sentences.ts'
import { everyoneNotes, titlesOfWho } from './who.ts'

/** What those get whom no rule answers. */
export function defaultText({ variants }: Pick<FlagDocument, 'variants'>, { t }: Words): string {
  const chosen = variants.find((variant) => variant.default)
  return chosen === undefined ? t.codeDefault : clean(chosen.key)
}

/** The changes of the rules of a flag with variants. */
export function tellRules(
  base: FlagDocument,
  present: FlagDocument,
  words: Words,
): readonly Sentence[] {
  return pairUp(base.rules, present.rules)
    .toSorted((one, other) => placeOf(one) - placeOf(other))
    .flatMap((pair) => tellOne(pair, present, words))
}

function tellOne(
  { before, after, from, to, isMoved }: Pair<RuleDocument>,
  present: FlagDocument,
  words: Words,
): readonly Sentence[] {
  const { t, format } = words
  const number = (place: number) => t.rule(format.number(place + 1))
  const path = `rules ${(after ?? before)?.id ?? ''} ${to}`
  if (after === undefined) {
    if (before === undefined) return []
    const titles = [t.isRemoved(number(from))]
    return [{ path, kind: 'removed', titles, body: deleted(tellRule(before, words)), effects: [] }]
  }
  const notes = everyoneNotes(after, before, words)
  if (before === undefined) {
    const titles = [t.isNew(number(to))]
    const effects = [...notes, ...gap(after.distributions, present, words)]
    return [{ path, kind: 'added', titles, body: inserted(tellRule(after, words)), effects }]
  }
  const isSplit = !isEqual(withoutIds(before.distributions), withoutIds(after.distributions))
  const titles = [
    ...(isMoved ? [t.becomes(number(from), number(to))] : []),
    ...titlesOfWho(before, after, number(to), words),
    ...(isSplit ? [splitTitle(after.distributions, number(to), words)] : []),
  ]
  if (titles.length === 0) return []
  return [
    {
      path,
      kind: isMoved && titles.length === 1 ? 'moved' : 'changed',
      titles,
      body: bodyOf(before, after, words),
      effects: [
        ...notes,
        ...(isSplit ? moves(before.distributions, after.distributions, words) : []),
        ...(isSplit ? gap(after.distributions, present, words) : []),
      ],
    },
  ]
}

function splitTitle(split: Split, what: string, words: Words): string {
  return split.length > 1 ? words.t.splitsAnew(what) : words.t.serves(what, tellSplit(split, words))
}

function bodyOf(before: RuleDocument, after: RuleDocument, words: Words): string {
  const { t } = words
  const who =
    before.operator === after.operator
      ? tellSegmentsChange(before.segments, after.segments, after.operator, words)
      : `${deleted(tellSegments(before.segments, before.operator, words))} ${inserted(
          tellSegments(after.segments, after.operator, words),
        )}`
  return t.ifIn(who, tellSplitChange(before.distributions, after.distributions, words))
}

/** Less than half of a bucket, in per cent: shares are ten-thousandths of it. */
const none = 0.000_05

/** What those get whom the split leaves out: the default, for later rules are not asked. */
function gap(split: Split, present: FlagDocument, words: Words): readonly Told[] {
  const { t, format } = words
  const rest = 100 - split.reduce((sum, { rollout }) => sum + rollout, 0)
  if (rest < none) return []
  const share = format.exactShare(rest)
  const hasDefault = present.variants.some((variant) => variant.default)
  return [attention(hasDefault ? t.gap(share, defaultText(present, words)) : t.gapNothing(share))]
}

/** How many of those whom the rule answers get another variant by another split. */
function moves(before: Split, after: Split, { t, format }: Words): readonly Told[] {
  const share = movedShare(before, after)
  return share < none ? [] : [fact(t.moves(format.exactShare(share)))]
}

/** The part of the bucket that two splits give to different variants, in per cent. */
export function movedShare(before: Split, after: Split): number {
  const [old, now] = [rangesOf(before), rangesOf(after)]
  const bounds = [...old, ...now].map(({ end }) => end)
  const places = [...new Set([0, ...bounds, 100])].sort((a, b) => a - b)
  const at = (ranges: typeof old, place: number) =>
    ranges.find(({ end }) => place < end)?.variant ?? ''
  return places.slice(0, -1).reduce((sum, place, index) => {
    const isSame = at(old, place) === at(now, place)
    return isSame ? sum : sum + (places[index + 1] ?? 100) - place
  }, 0)
}

/** Shares take up the bucket one after the other. */
function rangesOf(split: Split): readonly { readonly variant: string; readonly end: number }[] {
  let end = 0
  return split.map(({ variant, rollout }) => {
    end += rollout
    return { variant, end }
  })
}
