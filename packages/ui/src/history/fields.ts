import type { FieldChange } from '@svc/client/api'
import type { ChangeKind } from '../components/diff.tsx'
import type { Format } from '../text/format.ts'
import { readJson } from './documents.ts'
import { topicOf } from './paths.ts'
import type { HistoryPartTexts } from './texts.ts'

/** A member that was changed, for a line of its own. */
export interface ToldField {
  readonly kind: ChangeKind
  /** Where, such as `Rollout 2, share`. */
  readonly label: string
  readonly before: string | undefined
  readonly after: string | undefined
}

interface FieldTeller {
  readonly t: HistoryPartTexts
  readonly format: Format
  /** Of a boolean flag the state is what everyone else gets. */
  readonly isBoolean: boolean
}

/** Longer values are cut: all of them are in the documents. */
const maxLength = 240

/** A field of a change as people read it. */
export function tellField(change: FieldChange, teller: FieldTeller): ToldField {
  const { path, before, after } = topicOf(change) === 'tags' ? tagsOf(change) : change
  const isMoved = path.endsWith('.position')
  const whole = before === undefined ? 'added' : after === undefined ? 'removed' : 'changed'
  const tell = (json: string | undefined) =>
    json === undefined ? undefined : cut(tellValue(path, readJson(json), teller))
  return {
    kind: isMoved ? 'moved' : whole,
    label: labelOf(path, teller),
    before: tell(before),
    after: tell(after),
  }
}

/** Tags that came with the metadata are the same as others. */
function tagsOf({ before, after }: FieldChange): FieldChange {
  const tags = (json: string | undefined) => {
    const value = readJson(json)
    const list = isRecord(value) ? value.tags : value
    return list === undefined ? undefined : JSON.stringify(list)
  }
  const [one, other] = [tags(before), tags(after)]
  return {
    path: 'tags',
    ...(one !== undefined && { before: one }),
    ...(other !== undefined && { after: other }),
  }
}

function cut(text: string): string {
  return text.length > maxLength ? `${text.slice(0, maxLength)}…` : text
}

/** `rollouts[1].threshold.percentage` becomes `Rollout 2, share`. */
function labelOf(path: string, { t, isBoolean }: FieldTeller): string {
  if (path === 'enabled' && !isBoolean) return t.fields.state
  if (path.startsWith('metadata')) return `${t.fields.metadata}${path.slice('metadata'.length)}`
  const parts = path.split('.').filter((part) => part !== 'threshold' && part !== 'segment')
  return parts.map((part) => partLabel(part, t.fields)).join(', ')
}

function partLabel(part: string, fields: HistoryPartTexts['fields']): string {
  const [, name = part, index] = /^([a-zA-Z]+)(?:\[(\d+)\])?$/.exec(part) ?? []
  const label: unknown = Object.hasOwn(fields, name) ? Reflect.get(fields, name) : undefined
  if (typeof label === 'function') {
    const place = index === undefined ? '' : String(Number(index) + 1)
    return String(label(place)).trim()
  }
  return typeof label === 'string' ? label : part
}

function tellValue(path: string, value: unknown, teller: FieldTeller): string {
  const { t, format, isBoolean } = teller
  const name = path.slice(path.lastIndexOf('.') + 1)
  const list = /^([a-z]+)\[\d+\]$/.exec(name)?.[1]
  if (list !== undefined && isRecord(value)) return tellElement(list, value, teller)
  if (name === 'position') return format.number(Number(value) + 1)
  if (name === 'percentage' || name === 'rollout') return format.exactShare(Number(value))
  if (typeof value === 'boolean') {
    const isServed = name === 'value' || (name === 'enabled' && isBoolean)
    return isServed ? (value ? t.on : t.off) : value ? t.yes : t.no
  }
  return tellPlain(value, t)
}

const words = {
  OR_SEGMENT_OPERATOR: 'anySegment',
  AND_SEGMENT_OPERATOR: 'allSegments',
  ALL_MATCH_TYPE: 'everyConstraint',
  ANY_MATCH_TYPE: 'anyConstraint',
} as const

function tellPlain(value: unknown, t: HistoryPartTexts): string {
  if (value === undefined || value === null || value === '') return t.nothing
  if (typeof value === 'string') {
    return value in words ? t[words[value as keyof typeof words]] : value
  }
  if (Array.isArray(value) && value.every((one) => typeof one === 'string')) {
    return value.length === 0 ? t.nothing : value.join(', ')
  }
  return JSON.stringify(value)
}

/** A whole rule, rollout, share, variant or constraint. */
function tellElement(
  list: string,
  value: Readonly<Record<string, unknown>>,
  teller: FieldTeller,
): string {
  const { t, format } = teller
  switch (list) {
    case 'rollouts': {
      const { segment, threshold } = value
      if (isRecord(segment)) {
        return t.segmentGets(segmentsOf(segment, teller), segment.value === true ? t.on : t.off)
      }
      if (!isRecord(threshold)) return JSON.stringify(value)
      const share = format.exactShare(Number(threshold.percentage ?? 0))
      return t.shareGets(share, threshold.value === true ? t.on : t.off)
    }
    case 'rules': {
      const shares = recordsOf(value.distributions).map((one) =>
        tellElement('distributions', one, teller),
      )
      const segments = segmentsOf(value, teller)
      return shares.length === 0 ? segments : t.splits(segments, format.list(shares))
    }
    case 'distributions':
      return `${tellPlain(value.variant, t)} ${format.exactShare(Number(value.rollout ?? 0))}`
    case 'variants':
      return [value.key, value.name].filter((one) => one !== undefined).join(', ')
    case 'constraints':
      return [value.property, value.operator, value.value]
        .filter((one) => one !== undefined)
        .join(' ')
    default:
      return JSON.stringify(value)
  }
}

function segmentsOf({ segments, operator }: Readonly<Record<string, unknown>>, { t }: FieldTeller) {
  const keys = Array.isArray(segments) ? segments.map(String) : []
  const word = operator === 'AND_SEGMENT_OPERATOR' ? t.allSegments : t.anySegment
  return keys.length === 0 ? t.nothing : keys.join(` ${word} `)
}

function recordsOf(value: unknown): readonly Readonly<Record<string, unknown>>[] {
  return Array.isArray(value) ? value.filter(isRecord) : []
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
