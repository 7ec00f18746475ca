import type { FlagDocument, JsonObject, VariantDocument } from '@svc/client/api'
import { isEqual } from '../data/draft.ts'
import { booleanEffect, shareOf } from './boolean-effect.ts'
import { isForEveryone, tellValue, type Words } from './describe.ts'
import { pairUp } from './elements.ts'
import { clean, deleted, inserted } from './marked.tsx'
import { tellRollouts } from './rollout-sentences.ts'
import { defaultText, tellRules } from './rule-sentences.ts'
import { attention, fact, type Sentence } from './sentences.ts'

/** The changes of a flag. */
export function tellFlag(
  base: FlagDocument,
  present: FlagDocument,
  words: Words,
): readonly Sentence[] {
  return [
    ...tellWords(base, present, words),
    ...tellMetadata(base.metadata ?? {}, present.metadata ?? {}, words),
    ...tellEnabled(base, present, words),
    ...tellDefault(base, present, words),
    ...tellVariants(base, present, words),
    ...tellRollouts(base, present, words),
    ...tellRules(base, present, words),
  ]
}

interface Worded {
  readonly name: string
  readonly description: string
}

/** The name and the description. */
export function tellWords(base: Worded, present: Worded, { t }: Words): readonly Sentence[] {
  const titles = { name: t.renamed, description: t.descriptionChanges }
  return (['name', 'description'] as const).flatMap((path) =>
    base[path] === present[path]
      ? []
      : [
          {
            path,
            kind: 'changed',
            titles: [titles[path]],
            body: tellChange(base[path], present[path]),
            effects: [],
          },
        ],
  )
}

/** One text in the place of another. */
export function tellChange(before: string, after: string): string {
  const [was, is] = [clean(before), clean(after)]
  return [was && deleted(was), is && inserted(is)].filter((part) => part !== '').join(' ')
}

function tellMetadata(base: JsonObject, present: JsonObject, { t }: Words): readonly Sentence[] {
  const names = new Set([...Object.keys(base), ...Object.keys(present)])
  const text = (value: unknown) => {
    if (value === undefined) return ''
    if (Array.isArray(value) && value.every((one) => typeof one === 'string'))
      return value.join(', ')
    return typeof value === 'string' ? value : JSON.stringify(value)
  }
  return [...names].flatMap((name) => {
    if (isEqual(base[name], present[name])) return []
    const title = name === 'tags' ? t.tagsChange : t.metadataChanges(clean(name))
    return {
      path: `metadata.${name}`,
      kind: 'changed' as const,
      titles: [title],
      body: tellChange(text(base[name]), text(present[name])),
      effects: [],
    }
  })
}

function tellEnabled(base: FlagDocument, present: FlagDocument, words: Words): readonly Sentence[] {
  const { t, format } = words
  const { enabled, rollouts, type } = present
  if (base.enabled === enabled) return []
  const head = { path: 'enabled', kind: 'changed' as const }
  if (type !== 'BOOLEAN_FLAG_TYPE') {
    return [
      {
        ...head,
        titles: [enabled ? t.isEnabled : t.isDisabled],
        effects: [fact(enabled ? t.rulesAsked : t.disabledGets(defaultText(present, words)))],
      },
    ]
  }
  const effect = booleanEffect(present, present, (key) => isForEveryone(key, words))
  const share = effect && shareOf(effect.onAfter)
  const isStillOn =
    !enabled && rollouts.length > 0 && (effect === undefined || effect.onAfter.max > 0)
  const still = share === undefined ? t.stillOn : t.stillOnFor(format.share(share))
  return [
    {
      ...head,
      titles: [t.elseGets(tellValue(enabled, words))],
      effects: isStillOn ? [attention(still)] : [],
    },
  ]
}

function tellDefault(base: FlagDocument, present: FlagDocument, words: Words): readonly Sentence[] {
  const chosenOf = ({ variants }: FlagDocument) => variants.find((one) => one.default)?.key
  const [before, after] = [chosenOf(base), chosenOf(present)]
  if (before === after) return []
  const { t } = words
  return [
    {
      path: 'default',
      kind: 'changed',
      titles: [after === undefined ? t.noDefault : t.defaultBecomes(clean(after))],
      body: `${deleted(before === undefined ? t.codeDefault : clean(before))} ${inserted(
        after === undefined ? t.codeDefault : clean(after),
      )}`,
      effects: present.enabled ? [] : [fact(t.disabledGets(defaultText(present, words)))],
    },
  ]
}

function tellVariants(
  base: FlagDocument,
  present: FlagDocument,
  words: Words,
): readonly Sentence[] {
  return pairUp(base.variants, present.variants).flatMap(({ before, after }) => {
    if (before === undefined && after !== undefined) return newVariant(after, words)
    if (before !== undefined && after === undefined) return goneVariant(before, base, words)
    return before === undefined || after === undefined ? [] : editedVariant(before, after, words)
  })
}

function newVariant({ key }: VariantDocument, { t }: Words): Sentence {
  const titles = [t.isNew(t.variant(clean(key)))]
  return { path: `variants ${key}`, kind: 'added', titles, effects: [] }
}

/** What it was served by goes with it. */
function goneVariant({ key }: VariantDocument, base: FlagDocument, words: Words): Sentence {
  const { t, format } = words
  const shares = base.rules.flatMap(({ distributions }, place) =>
    distributions
      .filter(({ variant }) => variant === key)
      .map(({ rollout }) =>
        attention(t.goesTo(t.rule(format.number(place + 1)), format.exactShare(rollout))),
      ),
  )
  const titles = [t.isRemoved(t.variant(clean(key)))]
  return { path: `variants ${key}`, kind: 'removed', titles, effects: shares }
}

function editedVariant(
  before: VariantDocument,
  after: VariantDocument,
  { t }: Words,
): readonly Sentence[] {
  const what = t.variant(clean(after.key))
  const titles = [
    ...(before.attachment === after.attachment ? [] : [t.attachmentChanges(what)]),
    ...(before.name === after.name ? [] : [t.variantRenamed(what)]),
    ...(before.description === after.description ? [] : [t.describedAnew(what)]),
  ]
  if (titles.length === 0) return []
  const [was, is] = [before, after].map(({ attachment }) => attachment) as [string, string]
  const body = was === is ? undefined : tellChange(was, is)
  return [{ path: `variants ${after.key}`, kind: 'changed', titles, body, effects: [] }]
}
