import { shortestFloat } from '@svc/contract'
import type { Flag } from '@svc/proto/resource/v1/flags'
import type { Rollout } from '@svc/proto/resource/v1/rollouts'
import type { Rule } from '@svc/proto/resource/v1/rules'
import type { Segment } from '@svc/proto/resource/v1/segments'
import type { FlagState } from '@svc/proto/resource/v1/watch'
import { AppError } from '@svc/runtime'
import type { Form } from './form.ts'
import { SegmentTexts } from './segment-texts.ts'
import { timestampText } from './timestamp-text.ts'

/** A segment and an attachment may take a megabyte and more, and stand here wherever they are used. */
type Spend = (length: number) => void

/** Writes flags as the JSON text of contract 4.2. */
export class FlagTexts {
  readonly #segments: SegmentTexts
  readonly #form: Form
  readonly #maxLength: number
  #length = 0

  /** @param maxLength how many characters all flags together may take */
  constructor(segments: ReadonlyMap<string, Segment>, form: Form, maxLength: number) {
    this.#segments = new SegmentTexts(segments, form)
    this.#form = form
    this.#maxLength = maxLength
  }

  /** @throws {AppError} `invalid_argument` when it gets too long */
  toText({ flag, rules, rollouts }: FlagState): string {
    if (flag === undefined) throw new Error('a state without its flag')
    const lengthBefore = this.#length
    const { key, name, description, enabled, type, createdAt, updatedAt, defaultVariant } = flag
    const isBoolean = type === 'BOOLEAN_FLAG_TYPE'
    const text =
      `{"key":${quoted(key)},"name":${quoted(name)},"description":${quoted(description)},` +
      `"enabled":${enabled},"type":"${type}",` +
      `"createdAt":"${timestampText(createdAt)}","updatedAt":"${timestampText(updatedAt)}",` +
      `"rules":[${isBoolean ? '' : this.#rulesText(flag, rules)}],` +
      `"rollouts":[${isBoolean ? this.#rolloutsText(rollouts) : ''}]`
    const ending =
      defaultVariant === undefined || !this.#form.hasDefaultVariants
        ? '}'
        : `,"defaultVariant":{"id":${quoted(defaultVariant.id)},"key":${quoted(defaultVariant.key)},` +
          `"attachment":${quoted(defaultVariant.attachment)}}}`
    // Its parts have been counted before they were put together.
    this.#length = lengthBefore
    this.#spend(text.length + ending.length)
    return text + ending
  }

  #rulesText(flag: Flag, rules: readonly Rule[]): string {
    const variants = new Map(
      flag.variants.map(({ id, key, attachment }) => [
        id,
        `"variantId":${quoted(id)},"variantKey":${quoted(key)},"variantAttachment":${quoted(attachment)}`,
      ]),
    )
    const texts = rules.map(
      (rule) =>
        `{"id":${quoted(rule.id)},"rank":${rule.rank},"segmentOperator":"${rule.segmentOperator}",` +
        `"segments":[${this.#segmentsText(rule, (key) => this.#segments.inRule(key))}],` +
        `"distributions":[${distributionsText(rule, variants, this.#spend)}]}`,
    )
    return texts.join()
  }

  #rolloutsText(rollouts: readonly Rollout[]): string {
    const texts = rollouts.map(({ type, rank, segment, threshold }) => {
      const head = `{"type":"${type}","rank":${rank}`
      if (threshold !== undefined) {
        const percentage = shortestFloat(threshold.percentage)
        return `${head},"threshold":{"percentage":${percentage},"value":${threshold.value}}}`
      }
      if (segment === undefined) return `${head}}`
      return (
        `${head},"segment":{"value":${segment.value},"segmentOperator":"${segment.segmentOperator}",` +
        `"segments":[${this.#segmentsText(segment, (key) => this.#segments.inRollout(key))}]}}`
      )
    })
    return texts.join()
  }

  #segmentsText(
    { segmentKey, segmentKeys }: Pick<Rule, 'segmentKey' | 'segmentKeys'>,
    textOf: (key: string) => string,
  ): string {
    const keys = segmentKey === '' ? segmentKeys : [segmentKey]
    const texts = keys.map(textOf)
    for (const { length } of texts) this.#spend(length)
    return texts.join()
  }

  readonly #spend: Spend = (length) => {
    this.#length += length
    if (this.#length > this.#maxLength) throw tooLarge()
  }
}

export function tooLarge(): AppError {
  const message = 'the namespace is too large for a snapshot'
  return new AppError('invalid_argument', 'snapshot_too_large', message)
}

function distributionsText(
  { distributions }: Rule,
  variants: ReadonlyMap<string, string>,
  spend: Spend,
): string {
  const texts = distributions.map(({ variantId, rollout }) => {
    const variant =
      variants.get(variantId) ??
      `"variantId":${quoted(variantId)},"variantKey":"","variantAttachment":""`
    spend(variant.length)
    return `{"id":"","ruleId":"",${variant},"rollout":${shortestFloat(rollout)}}`
  })
  return texts.join()
}

function quoted(text: string): string {
  return JSON.stringify(text)
}
