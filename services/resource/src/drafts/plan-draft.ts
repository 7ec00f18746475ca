import type { Caller } from '@svc/access'
import type { Database, Queryable } from '@svc/database'
import { fieldRules } from '@svc/proto/field-rules'
import type { DraftPlan, PlanDraftRequest } from '@svc/proto/resource/v1/drafts'
import { type Planning, planPortion, preparePlan } from '../apply/apply.ts'
import { ItemList, type Outcome } from '../apply/items.ts'
import { labelError } from '../apply/labels.ts'
import type { Listed } from '../apply/operations.ts'
import { portionsOf } from '../apply/portions.ts'
import { findUsedSegment } from '../apply/references.store.ts'
import { segmentInUse, segmentsOf } from '../apply/write.ts'
import { idOf } from '../changes/changed-record.ts'
import { ChangeRecorder } from '../changes/recorder.ts'
import { recordNotFound } from '../records/errors.ts'
import type { Order } from '../records/order.ts'
import { readToken, toToken } from '../records/page-token.ts'
import { inPortions } from '../records/portions.ts'
import { checkRequest } from '../records/requests.ts'
import { findMissingSegment } from '../segments/segments.ts'
import { getDraft } from './answers.ts'
import { managementOf, operationsOf } from './draft-operations.ts'

const defaultLimit = 100

/** Maximum size of what a page is made of, in bytes, unless a single object is larger. */
const maxBytes = 4 * 2 ** 20

/** A page token names the plan and how many operations were told of. */
const scope = {
  queryName: '',
  order: {
    columns: [
      { sql: 'plan', type: 'text' },
      { sql: 'place', type: 'bigint' },
    ],
    isDescending: false,
  } satisfies Order,
}

/** The handler of `PlanDraft`. All statements read the same moment, and nothing is locked. */
export async function planDraft(
  db: Database,
  sent: PlanDraftRequest,
  caller: Caller,
): Promise<DraftPlan> {
  const request = checkRequest(fieldRules.PlanDraftRequest, sent)
  const { namespaceKey, id, pageToken } = request
  const [token = '', from = 0] = pageToken === '' ? [] : readToken(pageToken, scope)
  return db.transaction(
    async (tx) => {
      const draft = await getDraft(tx, namespaceKey, id)
      const options = { ...managementOf(draft), isDryRun: true, plan: String(token) }
      const operations = await operationsOf(tx, draft)
      const planning = await preparePlan(tx, namespaceKey, operations, options)
      const { plan, operations: all, heads } = planning
      const listed = [...portionsOf(all.listed, heads)].flat()
      const page = firstOf(listed.slice(Number(from)), planning, request.limit || defaultLimit)
      const { items, unchanged } = await planPage(tx, namespaceKey, page, planning, caller)
      const end = Number(from) + page.length
      const nextPageToken = end < listed.length ? toToken(scope, [plan, end]) : ''
      return { plan, operationCount: listed.length, items, unchanged, nextPageToken }
    },
    { readOnly: true },
  )
}

/** As many as a page takes, and one at least. */
function firstOf(listed: readonly Listed[], { heads }: Planning, maxItems: number) {
  const bytesOf = (one: Listed) => one.bytes + (heads.get(idOf(one))?.bytes ?? 0)
  const [first = []] = inPortions(listed, { maxBytes, maxItems, bytesOf })
  return first
}

async function planPage(
  tx: Queryable,
  namespaceKey: string,
  page: readonly Listed[],
  planning: Planning,
  caller: Caller,
): Promise<ItemList> {
  const beginning = { before: new Map(), revision: undefined }
  const change = new ChangeRecorder(namespaceKey, [], caller, beginning)
  const items = new ItemList()
  for (const portion of portionsOf(page, planning.heads)) {
    const outcomes = await planPortion(tx, change, portion, planning, items)
    await checkUses(tx, namespaceKey, outcomes, planning)
    await checkUnused(tx, namespaceKey, outcomes, planning)
    change.forget()
  }
  return items
}

/** The segments that flags will use: they are there, or the draft makes them, and it deletes none. */
async function checkUses(
  tx: Queryable,
  namespaceKey: string,
  outcomes: readonly Outcome[],
  { operations }: Planning,
): Promise<void> {
  const uses = outcomes.flatMap((one) =>
    segmentsOf(one).map((segmentKey) => ({ segmentKey, operation: one.operation })),
  )
  if (uses.length === 0) return
  const segments = operations.listed.filter(({ kind }) => kind === 'segment')
  const deleted = new Set(segments.filter((one) => one.isDeletion).map(({ key }) => key))
  const made = new Set(segments.filter((one) => !one.isDeletion).map(({ key }) => key))
  const gone = uses.find(({ segmentKey }) => deleted.has(segmentKey))
  if (gone !== undefined) {
    const { segmentKey, operation } = gone
    const error = segmentInUse(namespaceKey, { segmentKey, flagKey: operation.key })
    throw labelError(operation.label, error)
  }
  const others = new Set(uses.map(({ segmentKey }) => segmentKey).filter((key) => !made.has(key)))
  const missing = others.size > 0 && (await findMissingSegment(tx, namespaceKey, [...others]))
  if (!missing) return
  const label = uses.find(({ segmentKey }) => segmentKey === missing)?.operation.label ?? ''
  throw labelError(label, recordNotFound('segment', namespaceKey, missing))
}

/** The segments that will be deleted: flags that the draft does not name do not use them. */
async function checkUnused(
  tx: Queryable,
  namespaceKey: string,
  outcomes: readonly Outcome[],
  { operations }: Planning,
): Promise<void> {
  const gone = outcomes.filter(
    ({ operation, after }) => operation.kind === 'segment' && after === undefined,
  )
  if (gone.length === 0) return
  const named = operations.listed.filter(({ kind }) => kind === 'flag').map(({ key }) => key)
  const keys = gone.map(({ operation }) => operation.key)
  const used = await findUsedSegment(tx, namespaceKey, keys, named)
  if (used === undefined) return
  const { operation } = gone.find((one) => one.operation.key === used.segmentKey) ?? {}
  throw labelError(operation?.label ?? '', segmentInUse(namespaceKey, used))
}
