/** What has a revision or a tombstone of its own. */
export interface ChangedRecord {
  readonly kind: 'namespace' | 'flag' | 'segment'
  readonly key: string
}

export function idOf({ kind, key }: ChangedRecord): string {
  return `${kind} ${key}`
}

/** As messages name it. */
export function titleOf(namespaceKey: string, { kind, key }: ChangedRecord): string {
  return `${kind} "${kind === 'namespace' ? key : `${namespaceKey}/${key}`}"`
}
