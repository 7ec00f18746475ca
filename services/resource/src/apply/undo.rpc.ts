import { authorize } from '@svc/access'
import type { Database, Queryable } from '@svc/database'
import { readDocument } from '@svc/documents'
import { fieldRules } from '@svc/proto/field-rules'
import type { ApplyResult, PlannedItem, UndoChangeRequest } from '@svc/proto/resource/v1/apply'
import { type AppError, invalidArgument } from '@svc/runtime'
import type { ChangedRecord } from '../changes/changed-record.ts'
import { commitChange, commitCreation } from '../changes/commit.ts'
import type { ChangeOptions } from '../changes/finish.ts'
import type { ChangeContext } from '../changes/origin.ts'
import type { ChangeRecorder } from '../changes/recorder.ts'
import { findChange } from '../history/changes.store.ts'
import { toRevision } from '../history/history.ts'
import { missingChange } from '../history/missing.ts'
import { deleteNamespace } from '../namespaces/namespaces.ts'
import { explainViolations, recordNotUnique } from '../records/errors.ts'
import { checkRequest } from '../records/requests.ts'
import { type ApplyOptions, applyOperations } from './apply.ts'
import { type Done, toResult } from './commit.ts'
import { type Conflict, conflictError } from './conflicts.ts'
import { maxBytes, maxItems } from './limits.ts'
import { expectationFailed, planChanged } from './preconditions.ts'
import { writeSettings } from './segments.store.ts'
import { insertNamespace, listItems, readTexts } from './undo.store.ts'
import { type Undone, undoOperations } from './undo.ts'

/** The handler of `UndoChange`. */
export function undoHandler(db: Database) {
  return async (sent: UndoChangeRequest, context: ChangeContext): Promise<ApplyResult> => {
    const request = checkRequest(fieldRules.UndoChangeRequest, sent)
    const { namespaceKey, force, dryRun, comment, plan } = request
    const undone = await readUndone(db, namespaceKey, toRevision(request.revision), force)
    const options = {
      source: 'undo',
      details: { undoes: undone.revision },
      ...{ isDryRun: dryRun, plan },
      ...(comment !== '' && { comment }),
    } as const
    const namespace = undone.items.find(({ kind }) => kind === 'namespace')
    if (namespace?.isDeletion || namespace?.isRestored) {
      authorize({ scope: { case: 'global' } }, context.caller, [])
    }
    if (namespace?.isDeletion) return undoCreation(db, undone, context, options)
    if (namespace?.isRestored && !(await exists(db, namespaceKey))) {
      return undoDeletion(db, undone, context, options)
    }
    const target = { namespaceKey, records: [] }
    const write = (tx: Queryable, change: ChangeRecorder) => undo(tx, change, undone, options)
    return toResult(await commitChange(db, target, context, write, options), options)
  }
}

type Options = ApplyOptions & ChangeOptions

/** @throws {AppError} when there is no such change, or it is too large */
async function readUndone(
  db: Database,
  namespaceKey: string,
  revision: number,
  force: boolean,
): Promise<Undone> {
  return db.transaction(
    async (tx) => {
      const stored = await findChange(tx, namespaceKey, revision)
      if (stored === undefined) throw await missingChange(tx, namespaceKey, revision)
      if (stored.itemCount > maxItems) throw tooLarge(namespaceKey, revision)
      const items = await listItems(tx, namespaceKey, revision)
      const bytes = items.reduce((sum, item) => sum + item.bytes, 0)
      if (bytes > maxBytes) throw tooLarge(namespaceKey, revision)
      return { namespaceKey, revision, items, force }
    },
    { readOnly: true },
  )
}

function tooLarge(namespaceKey: string, revision: number): AppError {
  const limits = `${maxItems.toLocaleString('en')} objects and ${maxBytes / 2 ** 20} MiB`
  const subject = `revision ${revision} of namespace "${namespaceKey}"`
  return invalidArgument(`${subject} cannot be undone: it has more than ${limits}`)
}

async function exists(db: Database, namespaceKey: string): Promise<boolean> {
  const namespace = 'SELECT FROM resource.namespaces WHERE key = $1'
  return (await db.query(namespace, [namespaceKey])).length > 0
}

async function undo(
  tx: Queryable,
  change: ChangeRecorder,
  undone: Undone,
  options: Options,
): Promise<Done> {
  const conflicts = new Map<string, Conflict>()
  const applied = await applyOperations(tx, change, undoOperations(undone, conflicts), options)
  if (conflicts.size > 0) {
    const { namespaceKey, revision } = undone
    throw await conflictError(tx, namespaceKey, revision, [...conflicts.values()])
  }
  return { applied, change }
}

/** Brings a namespace back, with all that was deleted with it. */
async function undoDeletion(
  db: Database,
  undone: Undone,
  context: ChangeContext,
  options: Options,
): Promise<ApplyResult> {
  const { namespaceKey } = undone
  const settings = { kind: 'namespace', key: namespaceKey } as const
  const items = undone.items.filter(({ kind }) => kind !== 'namespace')
  const write = async (tx: Queryable, change: ChangeRecorder): Promise<Done> => {
    await explainViolations(insertNamespace(tx, namespaceKey), {
      namespace_is_unique: () => recordNotUnique('namespace', namespaceKey),
    })
    const [text] = await readTexts(tx, namespaceKey, undone.revision, 'namespace', [namespaceKey])
    // Retention may have deleted the change since it was read.
    if (text === undefined) throw await missingChange(tx, namespaceKey, undone.revision)
    await writeSettings(tx, namespaceKey, readDocument('namespace', text.before ?? '{}'))
    change.changed(settings)
    const { applied } = await undo(tx, change, { ...undone, items }, options)
    const item = { ...itemOf(settings), action: 'CREATED_ACTION' } as const
    return { applied: { ...applied, items: [item, ...applied.items] }, change }
  }
  return toResult(await commitCreation(db, namespaceKey, context, write, options), options)
}

/** Deletes a namespace in which nothing has changed since it was created. */
async function undoCreation(
  db: Database,
  { namespaceKey, revision, force }: Undone,
  context: ChangeContext,
  options: Options,
): Promise<ApplyResult> {
  const settings = { kind: 'namespace', key: namespaceKey } as const
  const write = async (tx: Queryable, change: ChangeRecorder): Promise<Done> => {
    const { previousRevision: present = 0 } = change
    const plan = `undo-${revision}-${force}-${present}`
    if (options.plan && options.plan !== plan) throw planChanged()
    if (present !== revision && !force) {
      throw expectationFailed(`namespace "${namespaceKey}" has changed since (revision ${present})`)
    }
    await deleteNamespace(tx, change, { key: namespaceKey, force: true })
    const item = { ...itemOf(settings), action: 'DELETED_ACTION', revision: present } as const
    return { applied: { plan, items: [item], unchanged: 0 }, change }
  }
  const target = { namespaceKey, records: [settings] }
  return toResult(await commitChange(db, target, context, write, options), options)
}

function itemOf({ key }: ChangedRecord): Omit<PlannedItem, 'action'> {
  return {
    ...{ kind: 'NAMESPACE_KIND', key, changes: [], revision: 0 },
    ...{ managedBy: '', isCut: false },
  }
}
