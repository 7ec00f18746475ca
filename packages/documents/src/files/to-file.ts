import type {
  FlagDocument,
  RolloutDocument,
  RuleDocument,
  SegmentDocument,
  VariantDocument,
} from '@svc/proto/resource/v1/documents'
import { toFloat } from '../canonical.ts'
import { parseExact } from './exact-json.ts'

/**
 * What a file has in the place of a document, in the order of its members (contract 7.1 and 7.3). What is
 * `undefined` is not written. Attachments are maps, lists and exact numbers.
 */
export type FileValue = object

/** @param isSorted variants by key: their order is part of what they mean, so it is for comparing only */
export function toFileFlag(flag: FlagDocument, isSorted: boolean): FileValue {
  const variants = isSorted ? flag.variants.toSorted(byKey) : flag.variants
  return {
    key: flag.key,
    name: textOf(flag.name),
    type: flag.type,
    description: textOf(flag.description),
    enabled: flag.enabled,
    metadata: flag.metadata,
    variants: listOf(variants.map(toFileVariant)),
    rules: listOf(flag.rules.map(toFileRule)),
    rollouts: listOf(flag.rollouts.map(toFileRollout)),
  }
}

function toFileVariant(variant: VariantDocument): FileValue {
  return {
    default: variant.default || undefined,
    key: variant.key,
    name: textOf(variant.name),
    description: textOf(variant.description),
    attachment: variant.attachment === '' ? undefined : parseExact(variant.attachment),
  }
}

function toFileRule({ segments, operator, distributions }: RuleDocument): FileValue {
  return {
    segment: segments.length === 1 ? segments[0] : { keys: segments, operator },
    distributions: listOf(
      distributions.map(({ variant, rollout }) => ({ variant, rollout: toFloat(rollout) })),
    ),
  }
}

function toFileRollout({ description, segment, threshold }: RolloutDocument): FileValue {
  return {
    description: textOf(description),
    segment: segment && {
      ...(segment.segments.length === 1
        ? { key: segment.segments[0] }
        : { keys: segment.segments }),
      operator: segment.operator === 'AND_SEGMENT_OPERATOR' ? segment.operator : undefined,
      value: segment.value || undefined,
    },
    threshold: threshold && {
      percentage: toFloat(threshold.percentage),
      value: threshold.value || undefined,
    },
  }
}

export function toFileSegment(segment: SegmentDocument): FileValue {
  const constraints = segment.constraints.map((constraint) => ({
    type: constraint.type,
    property: constraint.property,
    operator: constraint.operator,
    value: textOf(constraint.value),
    description: textOf(constraint.description),
  }))
  return {
    key: segment.key,
    name: textOf(segment.name),
    description: textOf(segment.description),
    constraints: listOf(constraints),
    match_type: segment.matchType,
  }
}

/** Empty fields are left out. */
export function textOf(text: string): string | undefined {
  return text === '' ? undefined : text
}

function listOf<T>(list: readonly T[]): readonly T[] | undefined {
  return list.length === 0 ? undefined : list
}

/** By code unit: the same everywhere, whatever the language. */
export function byKey(a: { readonly key: string }, b: { readonly key: string }): number {
  return a.key < b.key ? -1 : a.key > b.key ? 1 : 0
}
