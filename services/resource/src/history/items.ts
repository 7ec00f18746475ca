import { setImmediate } from 'node:timers/promises'
import type { Queryable } from '@svc/database'
import { DocumentError, diffDocuments, type Kind, readDocument } from '@svc/documents'
import type { ChangeItem } from '@svc/proto/resource/v1/changes'
import type { FieldChange, ItemAction } from '@svc/proto/resource/v1/documents'
import { objectKindOf } from '../documents/kinds.ts'
import { inPortions } from '../records/portions.ts'
import {
  type ItemHead,
  type ItemPlace,
  type ItemTexts,
  readItemHeads,
  readItemTexts,
} from './items.store.ts'

/** Maximum bytes of documents that are read for an answer, but for one item that is larger by itself. */
const maxBytes = 8 * 2 ** 20

/**
 * Maximum bytes, as they are stored, of items that are read at once, but for one that is larger. They are
 * compressed, to a ninetieth at most: so this is at most 12 MiB of text.
 */
const maxStoredBytes = 2 ** 17

/**
 * Reads the documents of items, in their order and by portions: few of them are in memory at any time.
 *
 * @param heads that are read as far as the caller goes through them
 */
export async function* readTextsOf<Head extends ItemPlace>(
  tx: Queryable,
  namespaceKey: string,
  heads: readonly Head[],
): AsyncGenerator<
  { readonly head: Head; readonly texts: ItemTexts; readonly bytes: number },
  void
> {
  const bounds = { maxBytes: maxStoredBytes, bytesOf: (head: Head) => head.storedBytes }
  for (const portion of inPortions(heads, bounds)) {
    const read = await readItemTexts(tx, namespaceKey, portion)
    for (const [index, head] of portion.entries()) {
      const { before = null, after = null } = read[index] ?? {}
      const bytes = Buffer.byteLength(before ?? '') + Buffer.byteLength(after ?? '')
      yield { head, texts: { before, after }, bytes }
    }
    // Large documents take some milliseconds each: other calls come in between.
    await setImmediate()
  }
}

/** Items, by revision and in their order. */
export type ItemsOfChanges = ReadonlyMap<number, readonly ChangeItem[]>

interface Wanted {
  readonly namespaceKey: string
  readonly revisions: readonly number[]
  /** The place of the first item. */
  readonly from: number
  /** Of the items of each change. */
  readonly limit: number
  /** Whether items have their documents. */
  readonly documents: boolean
}

/**
 * Reads the items of some changes with what differs in them, as many as fit into an answer.
 *
 * @returns the items, and the first change of which some are missing for that reason
 */
export async function readItems(
  tx: Queryable,
  { namespaceKey, revisions, from, limit, documents }: Wanted,
): Promise<{ readonly items: ItemsOfChanges; readonly cutAt: number | undefined }> {
  const heads = await readItemHeads(tx, namespaceKey, revisions, { from, limit })
  const items = new Map<number, ChangeItem[]>()
  let room = maxBytes
  for await (const { head, texts, bytes } of readTextsOf(tx, namespaceKey, heads)) {
    room -= bytes
    if (room < 0 && items.size > 0) return { items, cutAt: head.revision }
    const item = toItem(head, texts, documents)
    items.set(head.revision, [...(items.get(head.revision) ?? []), item])
  }
  return { items, cutAt: undefined }
}

function toItem({ kind, key }: ItemHead, texts: ItemTexts, documents: boolean): ChangeItem {
  const { before, after } = texts
  return {
    kind: objectKindOf[kind],
    key,
    action: actionOf(texts),
    changes: diffTexts(kind, texts),
    ...(documents && before !== null && { before }),
    ...(documents && after !== null && { after }),
  }
}

function actionOf({ before, after }: ItemTexts): ItemAction {
  if (before === null) return after === null ? 'UNCHANGED_ACTION' : 'CREATED_ACTION'
  return after === null ? 'DELETED_ACTION' : 'UPDATED_ACTION'
}

/** Of documents that this release cannot read, one change of the whole: a later one may have written them. */
function diffTexts(kind: Kind, { before, after }: ItemTexts): FieldChange[] {
  const read = (text: string | null) => (text === null ? undefined : readDocument(kind, text))
  try {
    return diffDocuments(kind, read(before), read(after))
  } catch (error) {
    if (!(error instanceof DocumentError)) throw error
    return [{ path: '', ...(before !== null && { before }), ...(after !== null && { after }) }]
  }
}
