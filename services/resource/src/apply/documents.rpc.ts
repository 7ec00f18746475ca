import type { Caller } from '@svc/access'
import type { Database } from '@svc/database'
import { fieldRules } from '@svc/proto/field-rules'
import type { DocumentServiceDefinition } from '@svc/proto/resource/v1/apply'
import type { Handlers } from '@svc/rpc'
import { invalidField } from '@svc/runtime'
import { etagOf, tagOf } from '../changes/etag.ts'
import { finishPart } from '../changes/finish.ts'
import type { ChangeContext } from '../changes/origin.ts'
import { checkRequest } from '../records/requests.ts'
import { applyHandler } from './apply.rpc.ts'
import { operationsInMemory } from './apply.ts'
import { commitOperations } from './commit.ts'
import { namespaceDocumentHandler } from './namespace-document.rpc.ts'
import { deleteOperation, setOperation } from './operations.ts'
import { readStored, type Stored } from './stored.store.ts'
import { undoHandler } from './undo.rpc.ts'

interface Named {
  readonly namespaceKey: string
  readonly key: string
}

type Kind = 'flag' | 'segment'

async function get<K extends Kind>(
  db: Database,
  kind: K,
  { namespaceKey, key }: Named,
  { setTrailer }: Pick<ChangeContext, 'setTrailer'>,
): Promise<Stored<K>> {
  const read = db.transaction((tx) => readStored(tx, namespaceKey, kind, key), { readOnly: true })
  const stored = await read
  setTrailer('svc-etag', etagOf(tagOf(namespaceKey, stored.revision)))
  return stored
}

/** Makes one object what its document says. */
async function put<K extends Kind>(
  db: Database,
  kind: K,
  request: Named & { readonly managedBy?: string | undefined },
  document: object | undefined,
  context: ChangeContext,
): Promise<Stored<K>> {
  const { namespaceKey, key, managedBy: manager } = request
  if (document === undefined) throw invalidField(kind, 'must not be empty')
  let stored: Stored<K> | undefined
  await commitOperations(
    db,
    { namespaceKey, records: [{ kind, key }] },
    context,
    operationsInMemory([setOperation({ kind, key }, document)], ''),
    { manager },
    async (tx, change) => {
      // It has its revision from then on; what has not changed has one.
      if (!change.isEmpty) await finishPart(tx, change)
      stored = await readStored(tx, namespaceKey, kind, key)
    },
  )
  if (stored === undefined) throw new Error(`${kind} was not read`)
  return stored
}

/** What is missing, or is in no namespace, is no error. */
async function remove(
  db: Database,
  kind: Kind,
  { namespaceKey, key }: Named,
  context: ChangeContext,
): Promise<Record<string, never>> {
  await commitOperations(
    db,
    { namespaceKey, records: [{ kind, key }] },
    context,
    operationsInMemory([deleteOperation({ kind, key })], ''),
    { missing: () => undefined },
  )
  return {}
}

export function documentHandlers(db: Database) {
  const rules = fieldRules
  return {
    getNamespaceDocument: namespaceDocumentHandler(db),
    async getFlagDocument(request, context) {
      const checked = checkRequest(rules.GetFlagDocumentRequest, request)
      const { document: flag, ...stored } = await get(db, 'flag', checked, context)
      return { flag, ...stored }
    },
    async putFlagDocument(request, context) {
      const checked = checkRequest(rules.PutFlagDocumentRequest, request)
      const { document: flag, ...stored } = await put(db, 'flag', checked, checked.flag, context)
      return { flag, ...stored }
    },
    deleteFlagDocument: async (request, context) =>
      remove(db, 'flag', checkRequest(rules.DeleteFlagDocumentRequest, request), context),
    async getSegmentDocument(request, context) {
      const checked = checkRequest(rules.GetSegmentDocumentRequest, request)
      const { document: segment, ...stored } = await get(db, 'segment', checked, context)
      return { segment, ...stored }
    },
    async putSegmentDocument(request, context) {
      const checked = checkRequest(rules.PutSegmentDocumentRequest, request)
      const { segment: given } = checked
      const { document: segment, ...stored } = await put(db, 'segment', checked, given, context)
      return { segment, ...stored }
    },
    deleteSegmentDocument: async (request, context) =>
      remove(db, 'segment', checkRequest(rules.DeleteSegmentDocumentRequest, request), context),
    apply: applyHandler(db),
    undoChange: undoHandler(db),
  } satisfies Handlers<DocumentServiceDefinition, Caller>
}
