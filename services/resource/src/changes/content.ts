import type { Queryable } from '@svc/database'
import { canonicalText } from '@svc/documents'
import { readDocuments } from '../documents/documents.store.ts'
import { inPortions } from '../records/portions.ts'
import type { ChangeRecorder } from './recorder.ts'

/** Maximum documents that are read and logged at once: a tenth of a second's work, of usual sizes. */
const maxObjects = 500

/** Maximum bytes of them, unless one alone is larger: so much is in memory, and in one statement. */
const maxBytes = 4 * 2 ** 20

/**
 * Logs all flags and segments of a namespace as deleted, each as it is now. Few of them are in memory at
 * any time.
 */
export async function logContentDeleted(tx: Queryable, change: ChangeRecorder): Promise<void> {
  for (const kind of ['flag', 'segment'] as const) {
    for (let after: string | undefined = ''; after !== undefined; ) {
      const listed = await listSizes(tx, change.namespaceKey, kind, after)
      for (const portion of inPortions(listed, { maxBytes, bytesOf: ({ bytes }) => bytes })) {
        await logPortion(tx, change, kind, portion)
      }
      after = listed.at(-1)?.key
    }
  }
}

async function logPortion(
  tx: Queryable,
  change: ChangeRecorder,
  kind: 'flag' | 'segment',
  portion: readonly Sized[],
): Promise<void> {
  const { namespaceKey, items } = change
  const keys = portion.map(({ key }) => key)
  const documents = await readDocuments(tx, namespaceKey, kind, keys)
  for (const { key, document } of documents.toSorted((a, b) => (a.key < b.key ? -1 : 1))) {
    items.add({ kind, key, before: canonicalText(kind, document), after: undefined })
  }
  await items.write(tx, await change.drawRevision(tx))
}

interface Sized {
  readonly key: string
  /** How much it takes with everything in it. */
  readonly bytes: number
}

async function listSizes(
  tx: Queryable,
  namespaceKey: string,
  kind: 'flag' | 'segment',
  after: string,
): Promise<Sized[]> {
  return tx.query<Sized>(
    `SELECT key, held_bytes AS bytes FROM resource.${kind}s WHERE namespace_key = $1 AND key > $2
      ORDER BY key LIMIT $3`,
    [namespaceKey, after, maxObjects],
  )
}
