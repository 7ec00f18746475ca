import type { ChangedRecord } from './changed-record.ts'

/** What a request changes, or changes something in. */
export type RecordOf<Request> = (request: Request) => ChangedRecord

/** Of requests about a namespace, flag or segment itself. */
export function byKey(kind: ChangedRecord['kind']): RecordOf<{ readonly key: string }> {
  return ({ key }) => ({ kind, key })
}

/** Of requests about what is in a flag. */
export const flagOf: RecordOf<{ readonly flagKey: string }> = ({ flagKey }) => ({
  kind: 'flag',
  key: flagKey,
})

/** Of requests about what is in a segment. */
export const segmentOf: RecordOf<{ readonly segmentKey: string }> = ({ segmentKey }) => ({
  kind: 'segment',
  key: segmentKey,
})
