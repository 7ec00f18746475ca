import type { FlagRecord, SegmentsRecord, VariantRecord } from '@svc/evaluation'
import { reference } from './flag-lines.ts'

/**
 * Reads the lines of a flag. The record has of its variants those that are served: the default, and those with
 * a share.
 */
export function readRecord(text: string): FlagRecord {
  const lines = text.split('\n')
  const start = lines.findIndex((line) => line.startsWith('{'))
  const json = lines.slice(start).map(withoutReference).join('')
  const { createdAt, rules, rollouts, ...flag }: FlagLines = JSON.parse(utf8(json))
  const variants = new Map<string, VariantRecord>()
  const add = (id: string, key: string, attachment: number | '') => {
    // A share of a variant that does not exist has no key.
    if (key === '' || variants.has(id)) return
    const attached = attachment === '' ? '' : JSON.parse(utf8(lines[attachment] ?? ''))
    variants.set(id, { id, key, attachment: attached })
  }
  const { defaultVariant: preset } = flag
  if (preset !== undefined) add(preset.id, preset.key, preset.attachment)
  for (const { variantId, variantKey, variantAttachment } of rules.flatMap(sharesOf)) {
    add(variantId, variantKey, variantAttachment)
  }
  return {
    ...flag,
    createdAt: toTimestamp(createdAt),
    variants: [...variants.values()],
    rules: rules.map(({ rank, distributions, ...condition }) => ({
      rank,
      ...toCondition(condition),
      distributions: distributions.map(({ variantId, rollout }) => ({
        variantId,
        rollout: Math.fround(rollout),
      })),
    })),
    rollouts: rollouts.map(({ rank, threshold, segment }) => ({
      rank,
      threshold: threshold && { ...threshold, percentage: Math.fround(threshold.percentage) },
      segment: segment && { ...toCondition(segment), value: segment.value },
    })),
  }
}

/** The JSON among the lines, with the number of its line for an attachment and its key for a segment. */
interface FlagLines extends Pick<FlagRecord, 'key' | 'type' | 'enabled'> {
  readonly createdAt: string
  readonly defaultVariant?: {
    readonly id: string
    readonly key: string
    readonly attachment: number | ''
  }
  readonly rules: readonly RuleLines[]
  readonly rollouts: readonly {
    readonly rank: number
    readonly threshold?: { readonly percentage: number; readonly value: boolean }
    readonly segment?: ConditionLines & { readonly value: boolean }
  }[]
}

interface ConditionLines {
  readonly segments: readonly string[]
  readonly segmentOperator: string
}

interface RuleLines extends ConditionLines {
  readonly rank: number
  readonly distributions: readonly {
    readonly variantId: string
    readonly variantKey: string
    readonly variantAttachment: number | ''
    readonly rollout: number
  }[]
}

const sharesOf = ({ distributions }: RuleLines) => distributions

function withoutReference(line: string): string {
  if (!line.startsWith('\t')) return line
  if (line === reference.defaultVariant) return ''
  const referred = line.slice(reference.attachment.length)
  return line.startsWith(reference.attachment) ? referred : JSON.stringify(referred)
}

function toCondition({ segments, segmentOperator }: ConditionLines): SegmentsRecord {
  return { segmentKey: '', segmentKeys: segments, segmentOperator }
}

function utf8(text: string): string {
  return Buffer.from(text, 'latin1').toString()
}

/** RFC 3339 in UTC, as `flag-lines.ts` writes it. */
function toTimestamp(text: string): { readonly seconds: number; readonly nanos: number } {
  const seconds = Date.parse(`${text.slice(0, 19)}Z`) / 1000
  return { seconds, nanos: Number(text.slice(20, -1).padEnd(9, '0')) }
}
