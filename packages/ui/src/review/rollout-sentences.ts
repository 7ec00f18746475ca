import type { FlagDocument, RolloutDocument } from '@svc/client/api'
import { answerOf, booleanEffect, shareOf } from './boolean-effect.ts'
import {
  isForEveryone,
  type OfWhom,
  tellRollout,
  tellSegmentsChange,
  tellValue,
  type Words,
} from './describe.ts'
import { type Pair, pairUp, placeOf } from './elements.ts'
import { deleted, inserted } from './marked.tsx'
import { type Reach, reachesOf } from './reach.ts'
import { attention, fact, type Sentence, type Told } from './sentences.ts'
import { everyoneNotes, titlesOfWho } from './who.ts'

/** The changes of the rollouts, each in its place; those that are gone where they stood. */
export function tellRollouts(
  base: FlagDocument,
  present: FlagDocument,
  words: Words,
): readonly Sentence[] {
  const isEveryone = (key: string) => isForEveryone(key, words)
  const [before, after] = [base, present].map(({ rollouts }) =>
    reachesOf(rollouts, isEveryone),
  ) as [Reaches, Reaches]
  const sentences: Sentence[] = []
  /** By the sentence that is told last before them: the places of those that add no one any more. */
  const emptied = new Map<number, number[]>()
  const pairs = pairUp(base.rollouts, present.rollouts).toSorted(
    (one, other) => placeOf(one) - placeOf(other),
  )
  for (const pair of pairs) {
    const reaches = { was: before[pair.from], is: after[pair.to] }
    const told = tellOne(pair, reaches, base, present, words)
    const cause = sentences.findLastIndex(({ kind }) => kind !== 'removed')
    // One that does not change itself has no sentence; what empties it is above it.
    if (told.length === 0 && isEmptied(reaches) && cause >= 0)
      emptied.set(cause, [...(emptied.get(cause) ?? []), pair.to])
    sentences.push(...told)
  }
  const { t, format } = words
  return sentences.map((sentence, index) => {
    const places = emptied.get(index)
    if (places === undefined) return sentence
    const names = format.list(places.map((place) => t.rollout(format.number(place + 1))))
    const note = attention(t.thenAddNone(places.length, names))
    return { ...sentence, effects: [...sentence.effects, note] }
  })
}

type Reaches = readonly (Reach | undefined)[]

interface BothReaches {
  readonly was: Reach | undefined
  readonly is: Reach | undefined
}

function isEmptied({ was, is }: BothReaches): boolean {
  return was !== undefined && was.adds > 0 && is !== undefined && is.adds === 0
}

function ofWhom(reach: Reach | undefined): OfWhom {
  return reach?.isOfRest === true ? 'rest' : 'everyone'
}

function tellOne(
  pair: Pair<RolloutDocument>,
  reaches: BothReaches,
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
    const body = deleted(tellRollout(before, ofWhom(reaches.was), words))
    const effects = takes(pair, base, present, words)
    return [{ path, kind: 'removed', titles: [t.isRemoved(number(from))], body, effects }]
  }
  const notes = [
    ...reach(pair, reaches, base, words),
    ...everyoneNotes(after.segment, before?.segment, words),
  ]
  if (before === undefined) {
    const body = inserted(tellRollout(after, ofWhom(reaches.is), words))
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
      body: bodyOf(before, after, reaches, words),
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
  const share = format.exactShare(is.percentage)
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
  reaches: BothReaches,
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
    const { exactShare } = format
    const share = change(exactShare(old.percentage), exactShare(now.percentage))
    return t.forShare(share, ofWhom(reaches.is), value(old.value, now.value))
  }
  return change(
    tellRollout(before, ofWhom(reaches.was), words),
    tellRollout(after, ofWhom(reaches.is), words),
  )
}

/** What a percentage reaches beside those above it: all of them use the same bucket. */
function reach(
  { before, after }: Pair<RolloutDocument>,
  reaches: BothReaches,
  base: FlagDocument,
  words: Words,
): readonly Told[] {
  const { t, format } = words
  const [was, is] = [before?.threshold, after?.threshold]
  if (is === undefined || reaches.is === undefined) return []
  const isSame = was?.percentage === is.percentage && was.value === is.value
  if (isSame && !isEmptied(reaches)) return []
  const { taken, adds, isAllTaken } = reaches.is
  if (adds === 0 && taken > 0)
    return [attention(isAllTaken ? t.addsNoneForAll : t.addsNone(format.exactShare(taken)))]
  if (was === undefined || was.value !== is.value)
    return taken === 0 ? [] : [fact(t.addsOnly(format.exactShare(adds), format.exactShare(taken)))]
  const had = [reaches.was?.taken ?? 0, was.percentage] as const
  const has = [taken, is.percentage] as const
  const tell = (places: readonly Places[]) =>
    format.list(places.map(([low, high]) => t.places(format.number(low), format.number(high))))
  if (is.percentage > was.percentage) {
    const come = othersAt(has, had, base, is.value, words)
    return come.length === 0 ? [] : [fact(t.comesToo(tell(come), tellValue(is.value, words)))]
  }
  const low = Math.max(had[0], ...has)
  return low < had[1] ? [fact(t.goesOn(format.number(low), format.number(had[1])))] : []
}

/** Buckets from one up to another, in per cent. */
type Places = readonly [low: number, high: number]

/** Where a rollout answers that did not, and another gave another value, as far as segments leave it to percentages. */
function othersAt(
  [low, high]: Places,
  had: Places,
  base: FlagDocument,
  value: boolean,
  words: Words,
): readonly Places[] {
  const keys = base.rollouts.flatMap(({ segment }) => segment?.segments ?? [])
  const members = new Set(keys.filter((key) => isForEveryone(key, words)))
  const bounds = base.rollouts.flatMap(({ threshold }) => threshold?.percentage ?? [])
  const starts = [...new Set([low, ...had, ...bounds])]
    .filter((place) => place >= low && place < high)
    .sort((one, other) => one - other)
  const found: Places[] = []
  for (const [index, start] of starts.entries()) {
    const end = starts[index + 1] ?? high
    const isOwn = start >= had[0] && start < had[1]
    if (isOwn || answerOf(base, start, members) === value) continue
    const last = found.at(-1)
    if (last?.[1] === start) found.splice(-1, 1, [last[0], end])
    else found.push([start, end])
  }
  return found
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
