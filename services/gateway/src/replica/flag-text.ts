import { type FlagRecord, type FlagSource, shortestFloat } from '@svc/evaluation'
import type { Rollout } from '@svc/proto/resource/v1/rollouts'
import type { Rule } from '@svc/proto/resource/v1/rules'
import { FlagState, FlagStateHead } from '@svc/proto/resource/v1/watch'

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

/**
 * A flag as it was received, until its text is needed, and then as its text. Both have a character for
 * each byte: a string takes 16 bytes besides, an array of bytes 200.
 */
export class EncodedFlag implements FlagSource {
  readonly key: string
  #content: string
  #isText = false

  /** @param state an encoded `FlagState`; a slice of a received message would keep all of it in memory */
  constructor(state: Buffer) {
    this.key = FlagStateHead.decode(state).flag?.key ?? ''
    this.#content = state.toString('latin1')
  }

  /** Not after {@link text}. */
  toRecord(): FlagRecord {
    const { flag, rules, rollouts } = this.#decode()
    return { ...flag, rules, rollouts }
  }

  /**
   * The flag as the JSON of snapshots, in lines: the attachments, then the text that refers to them.
   * It is UTF-8 with a character for each byte, which takes no encoding when sent.
   */
  get text(): string {
    if (!this.#isText) {
      this.#content = Buffer.from(writeText(this.#decode())).toString('latin1')
      this.#isText = true
    }
    return this.#content
  }

  #decode(): DecodedFlag {
    const { flag, ...rest } = FlagState.decode(Buffer.from(this.#content, 'latin1'))
    if (flag === undefined) throw new Error('a state without its flag')
    return { flag, ...rest }
  }
}

type DecodedFlag = FlagState & { readonly flag: NonNullable<FlagState['flag']> }

function writeText({ flag, rules, rollouts }: DecodedFlag): string {
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
