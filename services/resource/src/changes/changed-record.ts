/** What has a revision or a tombstone of its own. */
export interface ChangedRecord {
  readonly kind: 'namespace' | 'flag' | 'segment'
  readonly key: string
}

export function idOf({ kind, key }: ChangedRecord): string {
  return `${kind} ${key}`
}
