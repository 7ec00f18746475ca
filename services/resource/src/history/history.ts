import type { Caller } from '@svc/access'
import type { Database } from '@svc/database'
import { fieldRules } from '@svc/proto/field-rules'
import type {
  Change,
  ChangeServiceDefinition,
  GetChangeRequest,
} from '@svc/proto/resource/v1/changes'
import type { Handlers } from '@svc/rpc'
import { invalidField } from '@svc/runtime'
import { readToken } from '../records/page-token.ts'
import { checkRequest } from '../records/requests.ts'
import { itemScope, toChange } from './answers.ts'
import { findChange } from './changes.store.ts'
import { readItems } from './items.ts'
import { listChanges } from './list-changes.ts'
import { missingChange } from './missing.ts'
import { verifyChanges } from './verification.ts'

export function historyHandlers(db: Database) {
  const rules = fieldRules
  return {
    async listChanges(request) {
      return listChanges(db, checkRequest(rules.ListChangesRequest, request))
    },
    async getChange(request) {
      return getChange(db, checkRequest(rules.GetChangeRequest, request))
    },
    async verifyChanges(request) {
      return verifyChanges(db, checkRequest(rules.VerifyChangesRequest, request))
    },
  } satisfies Handlers<ChangeServiceDefinition, Caller>
}

const defaultItems = 100

async function getChange(db: Database, request: GetChangeRequest): Promise<Change> {
  const { namespaceKey, limit, pageToken } = request
  const revision = toRevision(request.revision)
  const [from = 0] = pageToken === '' ? [] : readToken(pageToken, itemScope(namespaceKey, revision))
  const page = { from: Number(from), limit: limit || defaultItems, documents: true }
  return db.transaction(
    async (tx) => {
      const stored = await findChange(tx, namespaceKey, revision)
      if (stored === undefined) throw await missingChange(tx, namespaceKey, revision)
      const { items } = await readItems(tx, { namespaceKey, revisions: [revision], ...page })
      return toChange(namespaceKey, stored, items.get(revision) ?? [], page.from)
    },
    { readOnly: true },
  )
}

/** @throws {AppError} unless it is a whole number from 1 */
export function toRevision(text: string): number {
  const revision = /^[1-9]\d*$/.test(text) ? Number(text) : Number.NaN
  if (Number.isSafeInteger(revision)) return revision
  throw invalidField('revision', 'must be a whole number from 1')
}
