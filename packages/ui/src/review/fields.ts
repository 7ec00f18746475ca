import type {
  ConstraintDocument,
  RolloutDocument,
  RuleDocument,
  VariantDocument,
} from '@svc/client/api'
import type { DocumentOf, Element, Kind } from './documents.ts'

/** What a document or an element says, in the parts that one decides about. */
export type Fields = Readonly<Record<string, unknown>>

/** The lists of a document whose elements are merged each for itself. */
export type ListName = 'variants' | 'rules' | 'rollouts' | 'constraints'

const listsOf: Readonly<Record<Kind, readonly ListName[]>> = {
  flag: ['variants', 'rules', 'rollouts'],
  segment: ['constraints'],
}

export function listNamesOf(kind: Kind): readonly ListName[] {
  return listsOf[kind]
}

export function listOf(document: object, name: ListName): readonly Element[] {
  return Reflect.get(document, name) ?? []
}

/** The parts of a document that are in no list. Members of metadata are parts each for itself. */
export function readDocument<K extends Kind>(kind: K, document: DocumentOf[K]): Fields {
  if (isSegment(kind, document)) {
    const { name, description, matchType } = document
    return { name, description, matchType }
  }
  const { name, description, enabled, metadata = {}, variants } = document as DocumentOf['flag']
  const members = Object.entries(metadata).map(([member, value]) => [`metadata.${member}`, value])
  const chosen = variants.find((variant) => variant.default)?.key
  return { name, description, enabled, default: chosen, ...Object.fromEntries(members) }
}

/** A document of the kind that says this. */
export function writeDocument<K extends Kind>(
  kind: K,
  document: DocumentOf[K],
  fields: Fields,
  lists: Readonly<Partial<Record<ListName, readonly Element[]>>>,
): DocumentOf[K] {
  if (kind === 'segment') return { ...document, ...fields, ...lists } as DocumentOf[K]
  const { default: chosen, ...plain } = fields
  const rest = Object.entries(plain).filter(([name]) => !name.startsWith('metadata.'))
  const members = Object.entries(plain)
    .filter(([name, value]) => name.startsWith('metadata.') && value !== undefined)
    .map(([name, value]) => [name.slice('metadata.'.length), value])
  const { metadata: _, ...other } = document as DocumentOf['flag']
  const variants = (lists.variants ?? []) as readonly VariantDocument[]
  return {
    ...other,
    ...Object.fromEntries(rest),
    ...(members.length > 0 && { metadata: Object.fromEntries(members) }),
    ...lists,
    variants: variants.map((variant) => ({ ...variant, default: variant.key === chosen })),
  } as unknown as DocumentOf[K]
}

function isSegment(kind: Kind, _document: object): _document is DocumentOf['segment'] {
  return kind === 'segment'
}

/**
 * The parts of an element. What makes sense together only is one part: the shares of a split, the segments
 * and how they are joined, a constraint's property with its operator and value.
 *
 * @param isWhole what it is for is one part, for it is another kind of thing elsewhere
 */
export function readElement(list: ListName, element: Element, isWhole = false): Fields {
  switch (list) {
    case 'variants': {
      const { name, description, attachment } = element as VariantDocument
      return { name, description, attachment }
    }
    case 'rules': {
      const { segments, operator, distributions } = element as RuleDocument
      const split = distributions.map(({ variant, rollout }) => ({ variant, rollout }))
      return { who: { segments, operator }, split }
    }
    case 'rollouts': {
      const { description, segment, threshold } = element as RolloutDocument
      if (isWhole) return { target: segment ?? threshold, description }
      if (segment === undefined)
        return { percentage: threshold?.percentage, value: threshold?.value, description }
      const { segments, operator, value } = segment
      return { who: { segments, operator }, value, description }
    }
    case 'constraints': {
      const { type, property, operator, value, description } = element as ConstraintDocument
      return { condition: { type, property, operator, value }, description }
    }
  }
}

/** Whether a rollout is for segments; nothing of other elements. */
export function targetOf(element: Element | undefined): 'segment' | 'threshold' | undefined {
  if (element === undefined) return undefined
  if ('segment' in element && element.segment !== undefined) return 'segment'
  return 'threshold' in element && element.threshold !== undefined ? 'threshold' : undefined
}

/** @param source what keeps its id, and those of what is in it */
export function writeElement(list: ListName, source: Element, fields: Fields): Element {
  switch (list) {
    case 'variants':
      return { ...source, ...fields }
    case 'rules': {
      const { who, split } = fields as { who: object; split: RuleDocument['distributions'] }
      const ids = new Map(
        (source as RuleDocument).distributions.map(({ variant, id }) => [variant, id]),
      )
      const distributions = split.map((part) => ({ ...part, id: ids.get(part.variant) ?? '' }))
      return { ...source, ...who, distributions } as Element
    }
    case 'rollouts': {
      const { description, who, value, percentage, target } = fields
      const segment = who === undefined ? undefined : { ...(who as object), value }
      const shown = (target ?? segment ?? { percentage, value }) as object
      const name = Object.hasOwn(shown, 'segments') ? 'segment' : 'threshold'
      return Object.assign({ id: source.id }, { description, [name]: shown })
    }
    case 'constraints': {
      const { condition, description } = fields
      return { ...source, ...(condition as object), description } as Element
    }
  }
}
