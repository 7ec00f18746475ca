import type { RecordsChange } from '../records.ts'
import { RecordsReader } from '../records.ts'

/** What a text of `Records` holds. */
export interface Content {
  readonly revision: number
  readonly fromRevision?: number
  readonly flags?: readonly object[]
  readonly segments?: readonly object[]
  readonly deletedFlagKeys?: readonly string[]
  readonly deletedSegmentKeys?: readonly string[]
}

/** A boolean flag that is `enabled`, but the other way round for the entities of the segments. */
export function booleanFlag(key: string, enabled: boolean, ...segmentKeys: string[]) {
  const segmentOperator = 'OR_SEGMENT_OPERATOR'
  const segment = { segmentKeys, segmentOperator, value: !enabled }
  return {
    ...{ key, type: 'BOOLEAN_FLAG_TYPE', enabled, created: 1 },
    ...{ defaultVariantId: '', variants: [], rules: [] },
    rollouts: segmentKeys.length === 0 ? [] : [{ rank: 1, segment }],
  }
}

/** A variant flag that serves one variant to all. */
export function variantFlag(key: string, variantKey: string, attachment = '', enabled = true) {
  return {
    ...{ key, type: 'VARIANT_FLAG_TYPE', enabled, created: 1, defaultVariantId: 'v' },
    variants: [{ id: 'v', key: variantKey, attachment }],
    ...{ rules: [], rollouts: [] },
  }
}

/** A segment of those in a country. */
export function countrySegment(key: string, value: string) {
  const constraint = { property: 'country', operator: 'eq', value }
  return {
    ...{ key, matchType: 'ALL_MATCH_TYPE' },
    constraints: [{ type: 'STRING_COMPARISON_TYPE', ...constraint }],
  }
}

/** The text as the gateway writes it: an item a line. */
export function recordsText({ revision, fromRevision = 0, ...lists }: Content): string {
  const { deletedSegmentKeys = [], segments = [], deletedFlagKeys = [], flags = [] } = lists
  const all = Object.entries({ deletedSegmentKeys, segments, deletedFlagKeys, flags })
  const texts = all.map(([name, items]) => {
    const lines = items.map((item) => JSON.stringify(item)).join(',\n')
    return `"${name}":[${lines === '' ? '' : `\n${lines}`}\n]`
  })
  return `{"revision":${revision},"fromRevision":${fromRevision},${texts.join(',')}}`
}

/** The event of a stream. */
export function recordsEvent(content: Content): string {
  const name = content.fromRevision ? 'change' : 'whole'
  const data = recordsText(content).split('\n')
  return `id: ${content.revision}\nevent: ${name}\n${data.map((line) => `data: ${line}\n`).join('')}\n`
}

/** The change as it is read of its text. */
export function recordsChange(content: Content): RecordsChange {
  const reader = new RecordsReader()
  const changes = recordsText(content)
    .split('\n')
    .map((line) => reader.push(line))
  const change = changes.at(-1)
  if (change === undefined) throw new Error('the text does not end')
  return change
}
