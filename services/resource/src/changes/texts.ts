import type { Queryable } from '@svc/database'
import { canonicalText } from '@svc/documents'
import { readDocuments, type Stored } from '../documents/documents.store.ts'
import { type ChangedRecord, idOf } from './changed-record.ts'

/** A document as it is stored, and its canonical text. */
export interface StoredText extends Stored {
  readonly text: string
}

/** By {@link idOf}. */
export type Texts = ReadonlyMap<string, StoredText>

const kinds = ['namespace', 'flag', 'segment'] as const

/** The documents of what is there, sent at once. */
export async function readTexts(
  tx: Queryable,
  namespaceKey: string,
  records: readonly ChangedRecord[],
): Promise<Texts> {
  const read = kinds.map(async (kind) => {
    const keys = records.filter((one) => one.kind === kind).map(({ key }) => key)
    if (keys.length === 0) return []
    const documents = await readDocuments(tx, namespaceKey, kind, keys)
    return documents.map(
      (stored) =>
        [
          idOf({ kind, key: stored.key }),
          { ...stored, text: canonicalText(kind, stored.document) },
        ] as const,
    )
  })
  return new Map((await Promise.all(read)).flat())
}
