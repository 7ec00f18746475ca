import type { Database, Queryable } from '@svc/database'
import { readDocument } from '@svc/documents'
import { fieldRules } from '@svc/proto/field-rules'
import type { GetNamespaceDocumentRequest, NamespaceDocument } from '@svc/proto/resource/v1/apply'
import type { FlagDocument, SegmentDocument } from '@svc/proto/resource/v1/documents'
import { invalidField } from '@svc/runtime'
import { readDocuments } from '../documents/documents.store.ts'
import type { Order } from '../records/order.ts'
import { readToken, toToken } from '../records/page-token.ts'
import { checkRequest, checkWhole } from '../records/requests.ts'
import { listPast, type PastObject } from './past.store.ts'
import { findRevision, readSettings } from './past.ts'

const defaultLimit = 100
const maxLimit = 1000

/** Maximum size of a page, in bytes, unless a single object is larger. */
const maxBytes = 4 * 2 ** 20

/** A page token names the revision and the last object. */
const scope = {
  queryName: '',
  order: {
    columns: [
      { sql: 'revision', type: 'bigint' },
      { sql: 'kind', type: 'text' },
      { sql: 'key', type: 'text' },
    ],
    isDescending: false,
  } satisfies Order,
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

function startOf({ revision, pageToken }: GetNamespaceDocumentRequest): Start {
  if (revision !== undefined) checkWhole('revision', revision)
  if (pageToken === '') return { wanted: revision, after: ['', ''] }
  const [wanted, kind, key] = readToken(pageToken, scope)
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
  const objects = cut(listed, limit)
  const last = objects.length < listed.length ? objects.at(-1) : undefined
  return {
    ...{ namespaceKey, revision, settings },
    flags: await readObjects(tx, namespaceKey, 'flag', objects),
    segments: await readObjects(tx, namespaceKey, 'segment', objects),
    nextPageToken: last === undefined ? '' : toToken(scope, [revision, last.kind, last.key]),
  }
}

/** As many as there is room for, and one at least. */
function cut(objects: readonly PastObject[], limit: number): PastObject[] {
  let room = maxBytes
  return objects.slice(0, limit).filter(({ bytes }, index) => {
    room -= bytes
    return room >= 0 || index === 0
  })
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
): Promise<Documents[K][]> {
  const wanted = objects.filter((one) => one.kind === kind)
  const present = wanted.filter(({ text }) => text === null).map(({ key }) => key)
  const stored = present.length === 0 ? [] : await readDocuments(tx, namespaceKey, kind, present)
  const byKey = new Map(stored.map(({ key, document }) => [key, document]))
  return wanted.flatMap(({ key, text }) => {
    const document = text === null ? byKey.get(key) : readDocument(kind, text)
    return document ?? []
  })
}
