import { createHash } from 'node:crypto'
import type { Caller } from '@svc/access'
import { checkFields } from '@svc/contract'
import type { Database, Queryable } from '@svc/database'
import { fieldRules } from '@svc/proto/field-rules'
import { Operation as OperationMessage } from '@svc/proto/resource/v1/apply'
import type { AddOperationsRequest, Draft } from '@svc/proto/resource/v1/drafts'
import { AppError, invalidArgument } from '@svc/runtime'
import { labelError, labelled } from '../apply/labels.ts'
import { maxBytes, maxOperations } from '../apply/limits.ts'
import { toOperation } from '../apply/operations.ts'
import { scheduler } from '../apply/scheduler.ts'
import { idOf } from '../changes/changed-record.ts'
import { checkRequest } from '../records/requests.ts'
import { checkEditable, draftNotFound, readAnswer } from './answers.ts'
import { labelOf } from './draft-operations.ts'
import { growDraft, lockDraft, type StoredDraft } from './drafts.store.ts'
import { findNamed, findPart, insertPart, type SentOperation } from './parts.store.ts'
import { checkUsage, tooLarge } from './usage.ts'

/** Maximum size of a part, in bytes as it is stored. */
const maxPartBytes = 4 * 2 ** 20

interface Part {
  readonly number: number
  readonly operations: readonly SentOperation[]
  /** In bytes. */
  readonly size: number
  readonly digest: Buffer
}

/** The handler of `AddOperations`. What takes no other object is checked here, the rest in a plan. */
export async function addOperations(
  db: Database,
  sent: AddOperationsRequest,
  caller: Caller,
): Promise<Draft> {
  checkFields(fieldRules.AddOperationsRequest, sent)
  // The operations are checked one by one, in slices.
  const request = checkRequest(fieldRules.DraftRequest, {
    ...{ namespaceKey: sent.namespaceKey, id: sent.id },
  })
  const { namespaceKey, id } = request
  const part = await toPart(namespaceKey, sent)
  return db.transaction(async (tx) => {
    const draft = await lockDraft(tx, namespaceKey, id)
    if (draft === undefined) throw draftNotFound(id)
    if (!(await isThere(tx, draft, part))) await addPart(tx, draft, part)
    return readAnswer(tx, caller, namespaceKey, id)
  })
}

/** @throws {AppError} that names the operation */
async function toPart(
  namespaceKey: string,
  { part: number, operations: messages }: AddOperationsRequest,
): Promise<Part> {
  const operations: SentOperation[] = []
  const labels = new Map<string, string>()
  const digest = createHash('sha256')
  let size = 0
  for (const [place, message] of messages.entries()) {
    const label = `operations[${place}]`
    const { kind, key, isDeletion } = labelled(label, () =>
      toOperation(namespaceKey, message, label),
    )
    const other = labels.get(idOf({ kind, key }))
    if (other !== undefined) {
      throw labelError(label, invalidArgument(`${other} is about the same ${kind}`))
    }
    labels.set(idOf({ kind, key }), label)
    const content = OperationMessage.encode(message).finish()
    digest.update(`${content.length}\n`).update(content)
    size += content.length
    operations.push({ kind, key, isDeletion, content })
    if (scheduler.shouldYield) await scheduler.yield()
  }
  if (size > maxPartBytes) throw tooLarge('a part', maxPartBytes)
  return { number, operations, size, digest: digest.digest() }
}

/** @throws {AppError} `draft_part_not_unique` for another part of the same number */
async function isThere(
  tx: Queryable,
  { id }: StoredDraft,
  { number, digest }: Part,
): Promise<boolean> {
  const present = await findPart(tx, id, number)
  if (present === undefined || present.equals(digest)) return present !== undefined
  const message = `draft "${id}" has a part ${number} with other operations`
  throw new AppError('already_exists', 'draft_part_not_unique', message)
}

/** @throws {AppError} when the draft takes no operations any more, or not these */
async function addPart(tx: Queryable, draft: StoredDraft, part: Part): Promise<void> {
  const { id, namespaceKey } = draft
  const { number, operations, size, digest } = part
  checkEditable(draft)
  if (draft.operationCount + operations.length > maxOperations) {
    const most = maxOperations.toLocaleString('en')
    throw invalidArgument(`a draft has at most ${most} operations`)
  }
  if (draft.bytes + size > maxBytes) throw tooLarge('a draft', maxBytes)
  const named = await findNamed(tx, id, operations)
  if (named !== undefined) {
    const place = operations.findIndex((one) => idOf(one) === idOf(named))
    const error = invalidArgument(`${labelOf(named)} is about the same ${named.kind}`)
    throw labelError(`operations[${place}]`, error)
  }
  await insertPart(tx, id, number, digest, operations)
  await growDraft(tx, id, { operations: operations.length, bytes: size })
  await checkUsage(tx, namespaceKey)
}
