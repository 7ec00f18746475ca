import type { FlagDocument, RolloutDocument } from '@svc/client/api'
import { booleanEffect, shareOf } from './boolean-effect.ts'
import {
  isForEveryone,
  tellRollout,
  tellSegmentsChange,
  tellValue,
  type Words,
} from './describe.ts'
import { type Pair, pairUp, placeOf } from './elements.ts'
import { deleted, inserted } from './marked.tsx'
import { attention, fact, type Sentence, type Told } from './sentences.ts'
import { everyoneNotes, titlesOfWho } from './who.ts'

/** The changes of the rollouts, each in its place; those that are gone where they stood. */
export function tellRollouts(
  base: FlagDocument,
  present: FlagDocument,
  words: Words,
): readonly Sentence[] {
  return pairUp(base.rollouts, present.rollouts)
    .toSorted((one, other) => placeOf(one) - placeOf(other))
    .flatMap((pair) => tellOne(pair, base, present, words))
}

function tellOne(
  pair: Pair<RolloutDocument>,
  base: FlagDocument,
  present: FlagDocument,
  words: Words,
): readonly Sentence[] {
  const { t, format } = words
  const { before, after, from, to, isMoved } = pair
  const number = (place: number) => t.rollout(format.number(place + 1))
  const path = `rollouts ${(after ?? before)?.id ?? ''} ${to}`
  if (after === undefined) {
    if (before === undefined) return []
    const body = deleted(tellRollout(before, from === 0, words))
    const effects = takes(pair, base, present, words)
    return [{ path, kind: 'removed', titles: [t.isRemoved(number(from))], body, effects }]
  }
  const notes = [
    ...reach(pair, present, words),
    ...everyoneNotes(after.segment, before?.segment, words),
  ]
  if (before === undefined) {
    const body = inserted(tellRollout(after, to === 0, words))
    const effects = [...notes, ...takes(pair, base, present, words)]
    return [{ path, kind: 'added', titles: [t.isNew(number(to))], body, effects }]
  }
  const titles = [
    ...(isMoved ? [t.becomes(number(from), number(to))] : []),
    ...titlesOf(before, after, number(to), words),
  ]
  if (titles.length === 0) return []
  return [
    {
      path,
      kind: isMoved && titles.length === 1 ? 'moved' : 'changed',
      titles,
      body: bodyOf(before, after, from === 0, to === 0, words),
      effects: [...notes, ...takes(pair, base, present, words)],
    },
  ]
}

function titlesOf(
  before: RolloutDocument,
  after: RolloutDocument,
  what: string,
  words: Words,
): readonly string[] {
  const { t, format } = words
  const described = before.description === after.description ? [] : [t.describedAnew(what)]
  if (before.segment !== undefined && after.segment !== undefined) {
    const turned = before.segment.value === after.segment.value ? [] : [after.segment.value]
    return [
      ...titlesOfWho(before.segment, after.segment, what, words),
      ...turned.map((value) => t.serves(what, tellValue(value, words))),
      ...described,
    ]
  }
  if (before.threshold === undefined || after.threshold === undefined)
    return [t.isForOthers(what), ...described]
  const [was, is] = [before.threshold, after.threshold]
  const share = format.share(is.percentage)
  const goes = is.percentage > was.percentage ? t.goesUp : t.goesDown
  return [
    ...(was.percentage === is.percentage ? [] : [goes(what, share)]),
    ...(was.value === is.value ? [] : [t.serves(what, tellValue(is.value, words))]),
    ...described,
  ]
}

/** The sentence of the rollout, with what changes in it. */
function bodyOf(
  before: RolloutDocument,
  after: RolloutDocument,
  wasFirst: boolean,
  isFirst: boolean,
  words: Words,
): string {
  const { t, format } = words
  const change = (was: string, is: string) => (was === is ? is : `${deleted(was)} ${inserted(is)}`)
  const value = (was: boolean, is: boolean) => change(tellValue(was, words), tellValue(is, words))
  const [was, is] = [before.segment, after.segment]
  if (was !== undefined && is !== undefined && was.operator === is.operator) {
    const who = tellSegmentsChange(was.segments, is.segments, is.operator, words)
    return t.ifIn(who, value(was.value, is.value))
  }
  if (before.threshold !== undefined && after.threshold !== undefined) {
    const [old, now] = [before.threshold, after.threshold]
    const share = change(format.share(old.percentage), format.share(now.percentage))
    return t.forShare(share, isFirst, value(old.value, now.value))
  }
  return change(tellRollout(before, wasFirst, words), tellRollout(after, isFirst, words))
}

/** What a percentage reaches beside those above it: all of them use the same bucket. */
function reach(
  { before, after, to }: Pair<RolloutDocument>,
  { rollouts }: FlagDocument,
  words: Words,
): readonly Told[] {
  const { t, format } = words
  const is = after?.threshold
  if (is === undefined) return []
  const was = before?.threshold
  if (was !== undefined && was.percentage === is.percentage && was.value === is.value) return []
  const above = rollouts.slice(0, to).map(({ threshold }) => threshold?.percentage ?? 0)
  const taken = Math.max(0, ...above)
  if (taken >= is.percentage && taken > 0) return [attention(t.addsNobody(format.share(taken)))]
  if (was === undefined || was.value !== is.value) {
    return taken === 0
      ? []
      : [fact(t.addsOnly(format.share(is.percentage - taken), format.share(taken)))]
  }
  const [low, high] = [
    Math.max(taken, Math.min(was.percentage, is.percentage)),
    Math.max(was.percentage, is.percentage),
  ]
  const places = [format.number(low), format.number(high)] as const
  return is.percentage > was.percentage
    ? [fact(t.comesToo(...places, tellValue(is.value, words)))]
    : [fact(t.goesOn(...places))]
}

/** Whether this change by itself takes On from those who have it; nothing where others make up for it. */
function takes(
  pair: Pair<RolloutDocument>,
  base: FlagDocument,
  present: FlagDocument,
  words: Words,
): readonly Told[] {
  const { t, format } = words
  const isEveryone = (key: string) => isForEveryone(key, words)
  if (booleanEffect(base, present, isEveryone)?.loses.max === 0) return []
  const changed = { ...base, rollouts: withOnly(pair, base.rollouts) }
  const effect = booleanEffect(base, changed, isEveryone)
  if (effect === undefined || effect.loses.max === 0) return []
  const share = shareOf(effect.loses)
  return [attention(share === undefined ? t.takesSome : t.takesShare(format.share(share)))]
}

/** The rollouts of before with this change and no other. */
function withOnly(
  { before, after, from, to, isMoved }: Pair<RolloutDocument>,
  rollouts: readonly RolloutDocument[],
): readonly RolloutDocument[] {
  if (after === undefined) return rollouts.toSpliced(from, 1)
  if (before === undefined) return rollouts.toSpliced(to, 0, after)
  return isMoved
    ? rollouts.toSpliced(from, 1).toSpliced(to, 0, after)
    : rollouts.toSpliced(from, 1, after)
}
