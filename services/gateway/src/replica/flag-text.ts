import { shortestFloat } from '@svc/contract'
import type { Rollout } from '@svc/proto/resource/v1/rollouts'
import type { Rule } from '@svc/proto/resource/v1/rules'
import { FlagState } from '@svc/proto/resource/v1/watch'

/**
 * A line that refers to a text instead of being one; no line of JSON begins so. Segments and attachments
 * may take megabytes and are used many times, so a flag's text holds none of them twice.
 */
const reference = { attachment: '\ta', segmentInRule: '\tr', segmentInRollout: '\to' }

/** What follows is the default variant. */
const defaultVariantLine = '\td'

/** The texts that flags refer to, and what a client understands. */
export interface FlagTextContext {
  segmentInRule(key: string): string
  segmentInRollout(key: string): string
  readonly hasDefaultVariants: boolean
}

/**
 * Writes a flag as the JSON of snapshots, in lines: the attachments, then the text that refers to them.
 *
 * @returns UTF-8 with a character for each byte, which takes the least memory and no encoding when sent
 */
export function writeFlagText({ flag, rules, rollouts }: FlagState): string {
  if (flag === undefined) throw new Error('a state without its flag')
  const { key, name, description, enabled, type, createdAt, updatedAt, defaultVariant } = flag
  const isBoolean = type === 'BOOLEAN_FLAG_TYPE'
  const attachments: string[] = []
  const variants = new Map<string, VariantText>()
  for (const { id, key, attachment } of flag.variants) {
    const text =
      attachment === ''
        ? '""'
        : `\n${reference.attachment}${attachments.push(quoted(attachment)) - 1}\n`
    variants.set(id, { key: quoted(key), attachment: text })
  }
  let text =
    `{"key":${quoted(key)},"name":${quoted(name)},"description":${quoted(description)},` +
    `"enabled":${enabled},"type":"${type}",` +
    `"createdAt":"${timestampText(createdAt)}","updatedAt":"${timestampText(updatedAt)}",` +
    `"rules":[${isBoolean ? '' : rules.map((rule) => ruleText(rule, variants)).join()}],` +
    `"rollouts":[${isBoolean ? rollouts.map(rolloutText).join() : ''}]`
  const found = defaultVariant && variants.get(defaultVariant.id)
  if (defaultVariant !== undefined && found !== undefined) {
    text +=
      `\n${defaultVariantLine}\n,"defaultVariant":{"id":${quoted(defaultVariant.id)},` +
      `"key":${found.key},"attachment":${found.attachment}}`
  }
  return Buffer.from([...attachments, text].join('\n')).toString('latin1')
}

/** A flag as it was received, until its text is needed, and then as its text. */
export class FlagSource {
  #encoded: string | undefined
  #text = ''

  /**
   * @param encoded the flag's state, a character for each byte: a string takes 16 bytes besides, an array
   *   of bytes 200, and a part of a received message would keep all of it alive
   */
  constructor(encoded: string) {
    this.#encoded = encoded
  }

  get text(): string {
    if (this.#encoded !== undefined) {
      this.#text = writeFlagText(decodeFlagState(this.#encoded))
      this.#encoded = undefined
    }
    return this.#text
  }
}

export function decodeFlagState(encoded: string): FlagState {
  return FlagState.decode(Buffer.from(encoded, 'latin1'))
}

/** Reads what {@link writeFlagText} wrote, as a list of texts that together are the flag. */
export function readFlagText(text: string, context: FlagTextContext): readonly string[] {
  const lines = text.split('\n')
  const start = lines.findIndex((line) => line.startsWith('{'))
  const texts: string[] = []
  for (const line of lines.slice(start)) {
    if (!line.startsWith('\t')) texts.push(line)
    else if (line !== defaultVariantLine) texts.push(resolve(line, lines, context))
    else if (!context.hasDefaultVariants) break
  }
  texts.push('}')
  return texts
}

function resolve(line: string, lines: readonly string[], context: FlagTextContext): string {
  const name = line.slice(2)
  if (line.startsWith(reference.segmentInRule)) return context.segmentInRule(name)
  if (line.startsWith(reference.segmentInRollout)) return context.segmentInRollout(name)
  return lines[Number(name)] ?? ''
}

interface VariantText {
  readonly key: string
  readonly attachment: string
}

const unknownVariant: VariantText = { key: '""', attachment: '""' }

function ruleText(rule: Rule, variants: ReadonlyMap<string, VariantText>): string {
  const distributions = rule.distributions.map(({ variantId, rollout }) => {
    const { key, attachment } = variants.get(variantId) ?? unknownVariant
    return (
      `{"id":"","ruleId":"","variantId":${quoted(variantId)},"variantKey":${key},` +
      `"variantAttachment":${attachment},"rollout":${shortestFloat(rollout)}}`
    )
  })
  return (
    `{"id":${quoted(rule.id)},"rank":${rule.rank},"segmentOperator":"${rule.segmentOperator}",` +
    `"segments":[${segmentsText(rule, reference.segmentInRule)}],` +
    `"distributions":[${distributions.join()}]}`
  )
}

function rolloutText({ type, rank, segment, threshold }: Rollout): string {
  const head = `{"type":"${type}","rank":${rank}`
  if (threshold !== undefined) {
    const percentage = shortestFloat(threshold.percentage)
    return `${head},"threshold":{"percentage":${percentage},"value":${threshold.value}}}`
  }
  if (segment === undefined) return `${head}}`
  return (
    `${head},"segment":{"value":${segment.value},"segmentOperator":"${segment.segmentOperator}",` +
    `"segments":[${segmentsText(segment, reference.segmentInRollout)}]}}`
  )
}

function segmentsText(
  { segmentKey, segmentKeys }: Pick<Rule, 'segmentKey' | 'segmentKeys'>,
  kind: string,
): string {
  const keys = segmentKey === '' ? segmentKeys : [segmentKey]
  return keys.map((key) => `\n${kind}${key}\n`).join()
}

function quoted(text: string): string {
  return JSON.stringify(text)
}

/** RFC 3339 in UTC as ProtoJSON has it: with 0, 3, 6 or 9 digits of a second. */
function timestampText({ seconds, nanos } = { seconds: 0, nanos: 0 }): string {
  const whole = new Date(seconds * 1000).toISOString().slice(0, 19)
  if (nanos === 0) return `${whole}Z`
  const digits = String(nanos).padStart(9, '0')
  return `${whole}.${digits.replace(/(?:000){1,2}$/, '')}Z`
}
