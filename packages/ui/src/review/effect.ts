import type { FlagDocument } from '@svc/client/api'
import { hueOf, type Share } from '../components/hue.ts'
import { booleanEffect, shareOf } from './boolean-effect.ts'
import { isForEveryone, type Words } from './describe.ts'
import type { DocumentOf, Kind } from './documents.ts'
import { clean } from './marked.tsx'
import { defaultText } from './rule-sentences.ts'
import { memberEffect } from './segment-sentences.ts'
import { fact, type Told } from './sentences.ts'

/** What a draft does to people, as far as it follows from the rules alone. */
export interface Effect {
  /** The first is printed bold. */
  readonly told: readonly Told[]
  /** What is served before and after; nothing where that depends on who asks. */
  readonly bars?:
    | { readonly before: readonly Share[]; readonly after: readonly Share[] }
    | undefined
}

/** @returns nothing where the rules alone say nothing */
export function effectOf<K extends Kind>(
  kind: K,
  base: DocumentOf[K],
  present: DocumentOf[K],
  words: Words,
): Effect | undefined {
  if (kind === 'segment') {
    const told = memberEffect(
      base as DocumentOf['segment'],
      present as DocumentOf['segment'],
      words,
    )
    return told.length === 0 ? undefined : { told }
  }
  const [before, after] = [base as FlagDocument, present as FlagDocument]
  return after.type === 'BOOLEAN_FLAG_TYPE'
    ? ofBoolean(before, after, words)
    : ofVariants(before, after, words)
}

function ofBoolean(base: FlagDocument, present: FlagDocument, words: Words): Effect | undefined {
  const { t, format } = words
  const effect = booleanEffect(base, present, (key) => isForEveryone(key, words))
  if (effect === undefined) return undefined
  const [was, is] = [shareOf(effect.onBefore), shareOf(effect.onAfter)]
  if (effect.gains.max === 0 && effect.loses.max === 0) return undefined
  const lost = shareOf(effect.loses)
  const loses =
    effect.onBefore.max === 0
      ? []
      : effect.loses.max === 0
        ? [fact(t.losesNone)]
        : [fact(lost === undefined ? t.losesSome : t.losesShare(format.share(lost)))]
  if (was === undefined || is === undefined) return loses.length === 0 ? undefined : { told: loses }
  const now = is <= 0 ? t.onNoOne : is >= 100 ? t.onEveryone : t.onAbout(format.share(is))
  const before =
    was === is
      ? t.asBefore
      : was <= 0
        ? t.noOneBefore
        : was >= 100
          ? t.everyoneBefore
          : t.shareBefore(format.share(was))
  const bar = (percentage: number): readonly Share[] => [{ name: 'on', hue: 'on', percentage }]
  return {
    told: [fact(`${now}, ${before}.`), ...loses],
    bars: { before: bar(was), after: bar(is) },
  }
}

/** Of a flag with variants it is known where no rule is asked. */
function ofVariants(base: FlagDocument, present: FlagDocument, words: Words): Effect | undefined {
  const { t } = words
  const isAsked = ({ enabled, rules }: FlagDocument) => enabled && rules.length > 0
  if (isAsked(base) || isAsked(present)) return undefined
  const [was, is] = [defaultText(base, words), defaultText(present, words)]
  if (was === is) return undefined
  const bar = ({ variants }: FlagDocument): readonly Share[] => {
    const place = variants.findIndex((variant) => variant.default)
    const name = variants[place]?.key
    return name === undefined ? [] : [{ name: clean(name), hue: hueOf(place), percentage: 100 }]
  }
  return {
    told: [fact(`${t.everyoneGets(is)}, ${t.getBefore(was)}.`)],
    bars: { before: bar(base), after: bar(present) },
  }
}
