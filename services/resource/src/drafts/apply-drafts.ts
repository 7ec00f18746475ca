import type { Database, Queryable } from '@svc/database'
import { fieldRules } from '@svc/proto/field-rules'
import type { ApplyDraftsRequest, DraftList, DraftToApply } from '@svc/proto/resource/v1/drafts'
import { invalidArgument, invalidField } from '@svc/runtime'
import { labelled } from '../apply/labels.ts'
import { readIfMatch } from '../changes/etag.ts'
import { type ChangeContext, originOf } from '../changes/origin.ts'
import { checkRequest } from '../records/requests.ts'
import { checkEditable, draftNotFound, readAnswer } from './answers.ts'
import { assignDrafts, countDrafts, insertApplication } from './applications.store.ts'
import { lockDraft, type StoredDraft } from './drafts.store.ts'
import { tooLarge } from './usage.ts'

/** Maximum operations and bytes of drafts that are applied together: of one transaction. */
const maxOperations = 100_000
const maxBytes = 256 * 2 ** 20

/**
 * The handler of `ApplyDrafts`: puts them down to be applied.
 *
 * @param onRequested is called when there is something to do
 */
export async function applyDrafts(
  db: Database,
  sent: ApplyDraftsRequest,
  context: ChangeContext,
  onRequested: () => void,
): Promise<DraftList> {
  const request = checkRequest(fieldRules.ApplyDraftsRequest, sent)
  readIfMatch(context, undefined)
  const asked = toAsked(request.drafts)
  const { comment } = request
  const origin = originOf(context, 'apply', ...(comment === '' ? [] : [comment]))
  const drafts = await db.transaction(async (tx) => {
    const locked = await lockDrafts(tx, asked)
    if (!(await isSameRequest(tx, locked))) {
      for (const draft of locked) checkEditable(draft)
      checkSize(locked)
      const id = await insertApplication(tx, {
        caller: context.caller,
        address: origin.address ?? '',
        requestId: origin.requestId,
        comment: origin.comment,
        draftCount: asked.length,
      })
      await assignDrafts(tx, id, asked)
    }
    const answers = []
    for (const { namespaceKey, id } of asked) {
      answers.push(await readAnswer(tx, context.caller, namespaceKey, id))
    }
    return answers
  })
  onRequested()
  return { drafts, nextPageToken: '' }
}

/** @throws {AppError} for what names no draft, and for two drafts of a namespace */
function toAsked(drafts: readonly DraftToApply[]): DraftToApply[] {
  const namespaceKeys = new Set<string>()
  return drafts.map((draft, place) =>
    labelled(`drafts[${place}]`, () => {
      const checked = checkRequest(fieldRules.DraftToApply, draft)
      const { namespaceKey } = checked
      if (namespaceKeys.has(namespaceKey)) {
        throw invalidField('namespaceKey', 'names a namespace for the second time')
      }
      namespaceKeys.add(namespaceKey)
      return checked
    }),
  )
}

/** In the order of their ids: so no two requests wait for each other. */
async function lockDrafts(tx: Queryable, asked: readonly DraftToApply[]): Promise<StoredDraft[]> {
  const drafts: StoredDraft[] = []
  for (const { namespaceKey, id } of asked.toSorted((a, b) => (a.id < b.id ? -1 : 1))) {
    const draft = await lockDraft(tx, namespaceKey, id)
    if (draft === undefined) throw draftNotFound(id)
    drafts.push(draft)
  }
  return drafts
}

/** Whether they, and no others, were asked to be applied together before, and that did not fail. */
async function isSameRequest(tx: Queryable, drafts: readonly StoredDraft[]): Promise<boolean> {
  const [{ applicationId, state } = { applicationId: '', state: 'OPEN' }] = drafts
  if (state !== 'APPLYING' && state !== 'APPLIED') return false
  if (drafts.some((draft) => draft.applicationId !== applicationId)) return false
  return (await countDrafts(tx, applicationId)) === drafts.length
}

function checkSize(drafts: readonly StoredDraft[]): void {
  const operations = drafts.reduce((sum, { operationCount }) => sum + operationCount, 0)
  const bytes = drafts.reduce((sum, draft) => sum + draft.bytes, 0)
  if (bytes > maxBytes) throw tooLarge('what is applied together', maxBytes)
  if (operations <= maxOperations) return
  const most = maxOperations.toLocaleString('en')
  throw invalidArgument(`what is applied together has at most ${most} operations`)
}
