import type { Database, Queryable } from '@svc/database'
import { readDocument } from '@svc/documents'
import { fieldRules } from '@svc/proto/field-rules'
import type { GetNamespaceDocumentRequest, NamespaceDocument } from '@svc/proto/resource/v1/apply'
import type { FlagDocument, SegmentDocument } from '@svc/proto/resource/v1/documents'
import { invalidField } from '@svc/runtime'
import { readDocuments } from '../documents/documents.store.ts'
import { readTextsOf } from '../history/items.ts'
import { nameOf } from '../records/list-query.ts'
import type { Order } from '../records/order.ts'
import { readToken, type TokenScope, toToken } from '../records/page-token.ts'
import { checkRequest, checkWhole } from '../records/requests.ts'
import { isPast, listPast, type PastObject } from './past.store.ts'
import { findRevision, readSettings } from './past.ts'

const defaultLimit = 100
const maxLimit = 1000

/** Maximum size of a page, in bytes, unless a single object is larger. */
const maxBytes = 4 * 2 ** 20

/** A page token names the revision and the last object. */
function scopeOf(namespaceKey: string): TokenScope {
  return { queryName: nameOf('document', [namespaceKey]), order }
}

const order: Order = {
  columns: [
    { sql: 'revision', type: 'bigint' },
    { sql: 'kind', type: 'text' },
    { sql: 'key', type: 'text' },
  ],
  isDescending: false,
}

/** Where a page begins. */
interface Start {
  readonly wanted: number | undefined
  readonly after: readonly [kind: string, key: string]
}

/** The handler of `GetNamespaceDocument`. */
export function namespaceDocumentHandler(db: Database) {
  return async (sent: GetNamespaceDocumentRequest): Promise<NamespaceDocument> => {
    const request = checkRequest(fieldRules.GetNamespaceDocumentRequest, sent)
    const start = startOf(request)
    const limit = Math.min(request.limit || defaultLimit, maxLimit)
    const read = (tx: Queryable) => readPage(tx, request.namespaceKey, start, limit)
    return db.transaction(read, { readOnly: true })
  }
}

function startOf({ namespaceKey, revision, pageToken }: GetNamespaceDocumentRequest): Start {
  if (revision !== undefined) checkWhole('revision', revision)
  if (pageToken === '') return { wanted: revision, after: ['', ''] }
  const [wanted, kind, key] = readToken(pageToken, scopeOf(namespaceKey))
  if (revision !== undefined && revision !== wanted) {
    throw invalidField('revision', 'differs from that of pageToken')
  }
  return { wanted: Number(wanted), after: [String(kind), String(key)] }
}

async function readPage(
  tx: Queryable,
  namespaceKey: string,
  { wanted, after }: Start,
  limit: number,
): Promise<NamespaceDocument> {
  const revision = await findRevision(tx, namespaceKey, wanted)
  const settings = await readSettings(tx, namespaceKey, revision)
  const listed = await listPast(tx, namespaceKey, revision, after, limit + 1)
  const { objects, texts } = await readPast(tx, namespaceKey, listed.slice(0, limit))
  const last = objects.length < listed.length ? objects.at(-1) : undefined
  const nextPageToken =
    last === undefined ? '' : toToken(scopeOf(namespaceKey), [revision, last.kind, last.key])
  return {
    ...{ namespaceKey, revision, settings },
    flags: await readObjects(tx, namespaceKey, 'flag', objects, texts),
    segments: await readObjects(tx, namespaceKey, 'segment', objects, texts),
    nextPageToken,
  }
}

type Texts = ReadonlyMap<PastObject, string>

/** As many as there is room for, and one at least; and the texts of those that have changed since. */
async function readPast(
  tx: Queryable,
  namespaceKey: string,
  listed: readonly PastObject[],
): Promise<{ readonly objects: readonly PastObject[]; readonly texts: Texts }> {
  const past = readTextsOf(tx, namespaceKey, listed.filter(isPast))
  const texts = new Map<PastObject, string>()
  let room = maxBytes
  for (const [index, object] of listed.entries()) {
    const read = isPast(object) ? (await past.next()).value : undefined
    const text = read?.texts.before ?? ''
    room -= isPast(object) ? Buffer.byteLength(text) : object.bytes
    if (room < 0 && index > 0) return { objects: listed.slice(0, index), texts }
    if (isPast(object)) texts.set(object, text)
  }
  return { objects: listed, texts }
}

interface Documents {
  readonly flag: FlagDocument
  readonly segment: SegmentDocument
}

async function readObjects<K extends keyof Documents>(
  tx: Queryable,
  namespaceKey: string,
  kind: K,
  objects: readonly PastObject[],
  texts: Texts,
): Promise<Documents[K][]> {
  const wanted = objects.filter((one) => one.kind === kind)
  const present = wanted.filter((one) => !isPast(one)).map(({ key }) => key)
  const stored = present.length === 0 ? [] : await readDocuments(tx, namespaceKey, kind, present)
  const byKey = new Map(stored.map(({ key, document }) => [key, document]))
  return wanted.flatMap((one) => {
    const text = texts.get(one)
    return (text === undefined ? byKey.get(one.key) : readDocument(kind, text)) ?? []
  })
}
