import type { Queryable } from '@svc/database'
import { canonicalText } from '@svc/documents'
import { readDocuments } from '../documents/documents.store.ts'
import type { ChangeRecorder } from './recorder.ts'

/** Documents that are read and logged at once: a tenth of a second's work, of usual sizes. */
const portion = 500

/**
 * Logs all flags and segments of a namespace as deleted, each as it is now. Few of them are in memory at
 * any time.
 */
export async function logContentDeleted(tx: Queryable, change: ChangeRecorder): Promise<void> {
  const { namespaceKey, items } = change
  for (const kind of ['flag', 'segment'] as const) {
    for (let after = ''; ; ) {
      const keys = await listKeys(tx, namespaceKey, kind, after)
      if (keys.length === 0) break
      const documents = await readDocuments(tx, namespaceKey, kind, keys)
      for (const { key, document } of documents.toSorted((a, b) => (a.key < b.key ? -1 : 1))) {
        items.add({ kind, key, before: canonicalText(kind, document), after: undefined })
      }
      await items.write(tx, await change.drawRevision(tx))
      after = keys.at(-1) ?? ''
    }
  }
}

async function listKeys(
  tx: Queryable,
  namespaceKey: string,
  kind: 'flag' | 'segment',
  after: string,
): Promise<string[]> {
  const rows = await tx.query<{ key: string }>(
    `SELECT key FROM resource.${kind}s WHERE namespace_key = $1 AND key > $2
      ORDER BY key LIMIT $3`,
    [namespaceKey, after, portion],
  )
  return rows.map(({ key }) => key)
}
