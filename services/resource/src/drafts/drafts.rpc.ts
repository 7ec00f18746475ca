import type { Caller } from '@svc/access'
import type { Database } from '@svc/database'
import { fieldRules } from '@svc/proto/field-rules'
import type {
  CreateDraftRequest,
  Draft,
  DraftList,
  DraftRequest,
  DraftServiceDefinition,
  ListDraftsRequest,
} from '@svc/proto/resource/v1/drafts'
import type { Handlers } from '@svc/rpc'
import { invalidField } from '@svc/runtime'
import { checkDetails } from '../apply/details.ts'
import { readIfMatch } from '../changes/etag.ts'
import { type ChangeContext, originOf } from '../changes/origin.ts'
import { explainViolations, recordNotFound } from '../records/errors.ts'
import type { Order } from '../records/order.ts'
import { readToken, toToken } from '../records/page-token.ts'
import { checkRequest } from '../records/requests.ts'
import { addOperations } from './add-operations.ts'
import { checkIdle, readAnswer, toDraft } from './answers.ts'
import { applyDrafts } from './apply-drafts.ts'
import { deleteDraft, insertDraft, listDrafts, lockDraft } from './drafts.store.ts'
import { planDraft } from './plan-draft.ts'
import { checkUsage } from './usage.ts'

/** @param onRequested is called when there are drafts to apply */
export function draftHandlers(db: Database, onRequested: () => void) {
  return {
    async listDrafts(request, { caller }) {
      return list(db, checkRequest(fieldRules.ListDraftsRequest, request), caller)
    },
    async getDraft(request, { caller }) {
      const { namespaceKey, id } = checkRequest(fieldRules.DraftRequest, request)
      return readAnswer(db, caller, namespaceKey, id)
    },
    async createDraft(request, context) {
      return create(db, checkRequest(fieldRules.CreateDraftRequest, request), context)
    },
    async addOperations(request, context) {
      readIfMatch(context, undefined)
      return addOperations(db, request, context.caller)
    },
    async planDraft(request, { caller }) {
      return planDraft(db, request, caller)
    },
    async deleteDraft(request, context) {
      readIfMatch(context, undefined)
      await remove(db, checkRequest(fieldRules.DraftRequest, request))
      return {}
    },
    async applyDrafts(request, context) {
      return applyDrafts(db, request, context, onRequested)
    },
  } satisfies Handlers<DraftServiceDefinition, Caller>
}

const defaultLimit = 50

/** A page token has where the page before ended. */
const scope = {
  queryName: '',
  order: {
    columns: [
      { sql: 'created_at', type: 'bigint' },
      { sql: 'id', type: 'text' },
    ],
    isDescending: true,
  } satisfies Order,
}

async function list(
  db: Database,
  { namespaceKey, limit, pageToken }: ListDraftsRequest,
  caller: Caller,
): Promise<DraftList> {
  const wanted = limit || defaultLimit
  const [createdAt, id] = pageToken === '' ? [] : readToken(pageToken, scope)
  const after = pageToken === '' ? undefined : ([Number(createdAt), String(id)] as const)
  // One more than asked for shows whether there is a next page.
  const found = await listDrafts(db, namespaceKey, after, wanted + 1)
  const drafts = found.slice(0, wanted)
  const last = found.length > wanted ? drafts.at(-1) : undefined
  const nextPageToken = last === undefined ? '' : toToken(scope, [last.createdAt, last.id])
  return { drafts: drafts.map((draft) => toDraft(draft, caller)), nextPageToken }
}

async function create(
  db: Database,
  request: CreateDraftRequest,
  context: ChangeContext,
): Promise<Draft> {
  readIfMatch(context, undefined)
  const { namespaceKey, manager, prune, takeOver } = request
  if (prune && manager === '') throw invalidField('prune', 'takes a manager')
  const details = request.details && checkDetails(request.details)
  const { actor: authorId } = originOf(context, 'apply')
  const draft = { namespaceKey, manager, prune, takeOver, details, authorId }
  return db.transaction(async (tx) => {
    const id = await explainViolations(insertDraft(tx, draft), {
      namespace_exists: () => recordNotFound('namespace', namespaceKey),
    })
    await checkUsage(tx, namespaceKey)
    return readAnswer(tx, context.caller, namespaceKey, id)
  })
}

/** A draft that is missing is no error. */
async function remove(db: Database, { namespaceKey, id }: DraftRequest): Promise<void> {
  await db.transaction(async (tx) => {
    const draft = await lockDraft(tx, namespaceKey, id)
    if (draft === undefined) return
    checkIdle(draft)
    await deleteDraft(tx, id)
  })
}
