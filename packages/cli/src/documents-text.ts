import type {
  ConstraintDocument,
  FlagDocument,
  RolloutDocument,
  RuleDocument,
  StoredFlag,
  StoredSegment,
} from '@svc/client/api'
import type { Output } from './output.ts'
import { timeText } from './words.ts'

type Styles = Pick<Output, 'style'>

/** A flag in words. */
export function flagText(
  { flag, managedBy, revision, updatedAt }: StoredFlag,
  output: Styles,
): string {
  const isBoolean = flag.type === 'BOOLEAN_FLAG_TYPE'
  const state = flag.enabled ? output.style('green', 'on') : 'off'
  const byDefault = flag.variants.find((variant) => variant.default)?.key
  return [
    `${output.style('bold', flag.key)}  ${state} · ${isBoolean ? 'boolean' : 'variant'}`,
    ...describe(flag),
    `revision ${revision} · ${timeText(updatedAt)}${managedBy === '' ? '' : ` · kept by "${managedBy}"`}`,
    ...(flag.metadata === undefined ? [] : [`metadata ${JSON.stringify(flag.metadata)}`]),
    ...variantLines(flag),
    ...flag.rollouts.map((rollout, index) => `  ${index + 1}. ${rolloutText(rollout)}`),
    ...flag.rules.map((rule, index) => `  ${index + 1}. ${ruleText(rule)}`),
    isBoolean ? `  otherwise ${flag.enabled}` : `  otherwise ${byDefault ?? 'nothing'}`,
  ].join('\n')
}

function describe({ key, name, description }: { key: string; name: string; description: string }) {
  const parts = [name === key ? '' : name, description].filter((part) => part !== '')
  return parts.length === 0 ? [] : [parts.join(' — ')]
}

function variantLines({ variants }: FlagDocument): string[] {
  if (variants.length === 0) return []
  const texts = variants.map(({ key, attachment }) =>
    attachment === '' ? key : `${key} ${attachment}`,
  )
  return [`variants ${texts.join(', ')}`]
}

function rolloutText({ segment, threshold }: RolloutDocument): string {
  if (segment !== undefined) {
    return `${segmentsText(segment.segments, segment.operator)} → ${segment.value}`
  }
  return `${threshold?.percentage ?? 0} % → ${threshold?.value ?? false}`
}

function ruleText({ segments, operator, distributions }: RuleDocument): string {
  const shares = distributions.map(({ variant, rollout }) =>
    rollout === 100 ? variant : `${variant} ${rollout} %`,
  )
  return `${segmentsText(segments, operator)} → ${shares.length === 0 ? 'the default' : shares.join(', ')}`
}

function segmentsText(keys: readonly string[], operator: RuleDocument['operator']): string {
  return keys.join(operator === 'AND_SEGMENT_OPERATOR' ? ' and ' : ' or ')
}

/** A segment in words. */
export function segmentText(
  { segment, managedBy, revision, updatedAt }: StoredSegment,
  output: Styles,
) {
  const { constraints, matchType } = segment
  const meaning =
    constraints.length === 0
      ? 'matches every entity, for it has no constraints'
      : `matches where ${matchType === 'ANY_MATCH_TYPE' ? 'one' : 'each'} of these holds:`
  return [
    output.style('bold', segment.key),
    ...describe(segment),
    `revision ${revision} · ${timeText(updatedAt)}${managedBy === '' ? '' : ` · kept by "${managedBy}"`}`,
    meaning,
    ...constraints.map((constraint) => `  ${constraintText(constraint)}`),
  ].join('\n')
}

function constraintText({ type, property, operator, value }: ConstraintDocument): string {
  const kind = type.replace('_COMPARISON_TYPE', '').toLowerCase().replace('_', ' ')
  return [property, operator, value, `(${kind})`].filter((part) => part !== '').join(' ')
}
