import type { Caller } from '@svc/access'
import type { Queryable } from '@svc/database'
import type { Draft, DraftState } from '@svc/proto/resource/v1/drafts'
import { AppError } from '@svc/runtime'
import { recordNotFound } from '../records/errors.ts'
import { toInstant } from '../records/instants.ts'
import { findDraft, type StoredDraft, type StoredState } from './drafts.store.ts'

const states: Readonly<Record<StoredState, DraftState>> = {
  OPEN: 'OPEN_DRAFT_STATE',
  APPLYING: 'APPLYING_DRAFT_STATE',
  APPLIED: 'APPLIED_DRAFT_STATE',
  FAILED: 'FAILED_DRAFT_STATE',
}

/** @param caller reads of other namespaces only what it may */
export function toDraft(stored: StoredDraft, caller: Caller): Draft {
  const { state, details, createdAt, expiresAt, parts, ...more } = stored
  const { plan: _plan, appliedBy: _appliedBy, draftCount: _draftCount, ...rest } = more
  return {
    ...rest,
    failure: failureFor(caller, stored),
    state: states[state],
    ...(details !== null && { details }),
    createdAt: toInstant(createdAt),
    expiresAt: toInstant(expiresAt),
    parts: [...parts],
  }
}

/** Drafts that are applied together fail together, for what may be in another namespace. */
function failureFor(
  { namespaceKey: boundTo }: Caller,
  { namespaceKey, failure, appliedBy, draftCount }: StoredDraft,
): string {
  if (failure === '' || boundTo === null || draftCount === 1) return failure
  const { failedNamespaceKey: failed } = appliedBy ?? {}
  if (failed === '' || failed === namespaceKey) return failure
  return failed === undefined
    ? 'drafts of several namespaces could not be applied together'
    : 'a draft of another namespace could not be applied'
}

export function draftNotFound(id: string): AppError {
  return recordNotFound('draft', id)
}

/** @throws {AppError} `not_found` */
export async function getDraft(
  db: Queryable,
  namespaceKey: string,
  id: string,
): Promise<StoredDraft> {
  const draft = await findDraft(db, namespaceKey, id)
  if (draft === undefined) throw draftNotFound(id)
  return draft
}

/** The draft as the answer has it. */
export async function readAnswer(
  db: Queryable,
  caller: Caller,
  namespaceKey: string,
  id: string,
): Promise<Draft> {
  return toDraft(await getDraft(db, namespaceKey, id), caller)
}

/** @throws {AppError} `draft_closed` unless it takes operations, and may be applied */
export function checkEditable(draft: StoredDraft): void {
  checkIdle(draft)
  if (draft.state === 'APPLIED') throw closed(draft, 'was applied')
}

/** @throws {AppError} `draft_closed` while it is being applied */
export function checkIdle(draft: StoredDraft): void {
  if (draft.state === 'APPLYING') throw closed(draft, 'is being applied')
}

function closed({ id }: StoredDraft, what: string): AppError {
  return new AppError('failed_precondition', 'draft_closed', `draft "${id}" ${what}`)
}
