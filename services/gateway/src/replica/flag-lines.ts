import { shortestFloat } from '@svc/evaluation'
import type { Rollout } from '@svc/proto/resource/v1/rollouts'
import type { Rule } from '@svc/proto/resource/v1/rules'
import type { FlagState } from '@svc/proto/resource/v1/watch'

/**
 * The first characters of lines that refer to a text instead of being one; no line of JSON begins so.
 * Segments and attachments may take megabytes and are used many times, so a flag's text holds none of
 * them twice. What follows the last of these lines is the default variant.
 */
export const reference = {
  attachment: '\ta',
  segmentInRule: '\tr',
  segmentInRollout: '\to',
  defaultVariant: '\td',
} as const

/** Marks references while the text is made: no decoded UTF-8 has half a surrogate pair. */
const mark = '\ud800'

/** A state that has its flag. */
export type DecodedFlag = FlagState & { readonly flag: NonNullable<FlagState['flag']> }

/** Writes the lines of a flag; `flag-record.ts` reads them. */
export function writeText({ flag, rules, rollouts }: DecodedFlag): string {
  const { key, name, description, enabled, type, defaultVariant } = flag
  const isBoolean = type === 'BOOLEAN_FLAG_TYPE'
  const attachments: string[] = []
  const variants = new Map(
    flag.variants.map(({ id, key, attachment }) => {
      if (attachment === '') return [id, { key, attachment }]
      const number = attachments.push(JSON.stringify(attachment)) - 1
      return [id, { key, attachment: `${mark}${reference.attachment}${number}` }]
    }),
  )
  const found = defaultVariant && variants.get(defaultVariant.id)
  const json = JSON.stringify({
    ...{ key, name, description, enabled, type },
    createdAt: timestampText(flag.createdAt),
    updatedAt: timestampText(flag.updatedAt),
    rules: isBoolean ? [] : rules.map((rule) => toRule(rule, variants)),
    rollouts: isBoolean ? rollouts.map(toRollout) : [],
    defaultVariant: found && { id: defaultVariant.id, ...found },
  })
  const text = json
    .replaceAll(/"\\ud800\\t([^"]*)"/g, '\n\t$1\n')
    .replace(',"defaultVariant":', `\n${reference.defaultVariant}\n$&`)
  return [...attachments, text].join('\n')
}

function toRule(
  rule: Rule,
  variants: ReadonlyMap<string, { readonly key: string; readonly attachment: string }>,
): object {
  const { id, rank, segmentOperator } = rule
  return {
    ...{ id, rank, segmentOperator },
    segments: toSegments(rule, reference.segmentInRule),
    distributions: rule.distributions.map(({ variantId, rollout }) => {
      const { key: variantKey = '', attachment: variantAttachment = '' } =
        variants.get(variantId) ?? {}
      const variant = { variantId, variantKey, variantAttachment }
      return { id: '', ruleId: '', ...variant, rollout: shortestFloat(rollout) }
    }),
  }
}

function toRollout({ type, rank, segment, threshold }: Rollout): object {
  return {
    type,
    rank,
    threshold: threshold && {
      percentage: shortestFloat(threshold.percentage),
      value: threshold.value,
    },
    segment: segment && {
      value: segment.value,
      segmentOperator: segment.segmentOperator,
      segments: toSegments(segment, reference.segmentInRollout),
    },
  }
}

function toSegments(
  { segmentKey, segmentKeys }: Pick<Rule, 'segmentKey' | 'segmentKeys'>,
  kind: string,
): string[] {
  const keys = segmentKey === '' ? segmentKeys : [segmentKey]
  return keys.map((key) => `${mark}${kind}${key}`)
}

/** RFC 3339 in UTC as ProtoJSON has it: with 0, 3, 6 or 9 digits of a second. */
function timestampText({ seconds, nanos } = { seconds: 0, nanos: 0 }): string {
  const whole = new Date(seconds * 1000).toISOString().slice(0, 19)
  if (nanos === 0) return `${whole}Z`
  const digits = String(nanos).padStart(9, '0')
  return `${whole}.${digits.replace(/(?:000){1,2}$/, '')}Z`
}
