import { checkFields } from '@svc/contract'
import type { DocumentOf, Kind } from '@svc/documents'
import { fieldRules } from '@svc/proto/field-rules'
import type {
  FlagDocument,
  RolloutDocument,
  RuleDocument,
  SegmentDocument,
  SegmentShare,
} from '@svc/proto/resource/v1/documents'
import { invalidArgument } from '@svc/runtime'
import { toStoredComparison } from '../constraints/comparisons.ts'
import { checkMetadata } from '../flags/flags.ts'
import { checkText } from '../records/requests.ts'
import { checkThreshold } from '../rollouts/checks.ts'
import { chosenSegments, toSegmentChoice } from '../segments/segment-choice.ts'
import { toAttachment } from '../variants/attachments.ts'
import { labelled } from './labels.ts'

/**
 * A document as it is stored. The rules are those of the requests for one flag, variant or constraint; a
 * document has besides to be whole in itself. Whether the segments that it names exist is not looked at.
 *
 * @throws {AppError} `invalid_argument`
 */
export function toStored<K extends Kind>(kind: K, document: DocumentOf[K]): DocumentOf[K] {
  checkText(document)
  return contentRules[kind](document)
}

const contentRules: { readonly [K in Kind]: (document: DocumentOf[K]) => DocumentOf[K] } = {
  flag: toStoredFlag,
  segment: toStoredSegment,
  namespace(settings) {
    checkFields(fieldRules.NamespaceSettings, settings)
    return settings
  },
}

function toStoredFlag(flag: FlagDocument): FlagDocument {
  checkFields(fieldRules.FlagDocument, flag)
  checkMetadata(flag)
  const stored = {
    ...flag,
    variants: eachOf('variants', flag.variants, (variant) => {
      checkFields(fieldRules.VariantDocument, variant)
      return { ...variant, attachment: toAttachment(variant.attachment) }
    }),
    rules: eachOf('rules', flag.rules, toStoredRule),
    rollouts: eachOf('rollouts', flag.rollouts, toStoredRollout),
  }
  checkVariants(stored)
  return stored
}

/**
 * Checks a document whose members are each as they were stored at some time.
 *
 * @throws {AppError} `invalid_argument` when they do not go together
 */
export function checkMembers(document: DocumentOf[Kind]): void {
  if ('rules' in document) checkVariants(document)
}

function checkVariants({ variants, rules }: FlagDocument): void {
  const keys = new Set<string>()
  for (const { key } of variants) {
    if (keys.has(key)) throw invalidArgument(`variant "${key}" is there twice`)
    keys.add(key)
  }
  if (variants.filter((variant) => variant.default).length > 1) {
    throw invalidArgument('only one variant can be the default')
  }
  for (const [place, { distributions }] of rules.entries()) {
    const unknown = distributions.find(({ variant }) => !keys.has(variant))
    if (unknown === undefined) continue
    throw invalidArgument(`rules[${place}]: the flag has no variant "${unknown.variant}"`)
  }
}

function toStoredRule(rule: RuleDocument): RuleDocument {
  checkFields(fieldRules.RuleDocument, rule)
  const distributions = eachOf('distributions', rule.distributions, (distribution) => {
    checkFields(fieldRules.DistributionDocument, distribution)
    return distribution
  })
  return { ...toStoredChoice(rule), distributions }
}

function toStoredRollout(rollout: RolloutDocument): RolloutDocument {
  checkFields(fieldRules.RolloutDocument, rollout)
  const { segment, threshold } = rollout
  if (segment === undefined && threshold === undefined) {
    throw invalidArgument('takes segment or threshold')
  }
  if (threshold !== undefined) checkThreshold(threshold)
  if (segment === undefined) return rollout
  checkFields(fieldRules.SegmentShare, segment)
  return { ...rollout, segment: toStoredChoice(segment) }
}

/** The segments each once, and a single one combined with nothing. */
function toStoredChoice<T extends Pick<SegmentShare, 'segments' | 'operator'>>(part: T): T {
  const { segments: segmentKeys, operator: segmentOperator } = part
  const choice = toSegmentChoice({ segmentKey: '', segmentKeys, segmentOperator })
  return { ...part, segments: chosenSegments(choice), operator: choice.segmentOperator }
}

function toStoredSegment(segment: SegmentDocument): SegmentDocument {
  checkFields(fieldRules.SegmentDocument, segment)
  const constraints = eachOf('constraints', segment.constraints, (constraint) => {
    checkFields(fieldRules.ConstraintDocument, constraint)
    return toStoredComparison(constraint)
  })
  return { ...segment, constraints }
}

/** Each element of a list as `toStored` has it; errors name the element. */
function eachOf<Element>(
  name: string,
  list: readonly Element[],
  toStored: (element: Element) => Element,
): Element[] {
  return list.map((element, place) => labelled(`${name}[${place}]`, () => toStored(element)))
}
