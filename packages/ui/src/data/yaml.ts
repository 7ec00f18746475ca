import type { FlagDocument, SegmentDocument } from '@svc/client/api'

/**
 * A flag or a segment as YAML, in the order in which documents are kept: without ids, which belong to one
 * installation, and without what is empty.
 */
export async function toYaml(document: FlagDocument | SegmentDocument): Promise<string> {
  const { stringify } = await import('yaml')
  return stringify(clean(document), { lineWidth: 0 })
}

/** Metadata stays as it is: it is not ours. */
function clean(value: unknown, name = ''): unknown {
  if (name === 'metadata') return value
  if (Array.isArray(value)) return value.map((element) => clean(element))
  if (typeof value !== 'object' || value === null) return value
  const entries = Object.entries(value)
    .filter(([name, member]) => name !== 'id' && !isEmpty(member))
    .filter(([name, member]) => name !== 'default' || member !== false)
    .map(([name, member]) => [name, clean(member, name)] as const)
  return Object.fromEntries(entries)
}

function isEmpty(value: unknown): boolean {
  if (value === '' || value === undefined) return true
  return typeof value === 'object' && value !== null && Object.keys(value).length === 0
}
