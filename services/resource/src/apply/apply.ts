import { createHash } from 'node:crypto'
import type { Queryable } from '@svc/database'
import { canonicalText, diffDocuments } from '@svc/documents'
import type { PlannedItem } from '@svc/proto/resource/v1/apply'
import { invalidArgument } from '@svc/runtime'
import { idOf, titleOf } from '../changes/changed-record.ts'
import { finishPart } from '../changes/finish.ts'
import type { ChangeRecorder } from '../changes/recorder.ts'
import { type Head, type Heads, readHeads, readManaged } from './heads.store.ts'
import { withIds } from './ids.ts'
import { ItemList, type Outcome } from './items.ts'
import { labelError } from './labels.ts'
import { checkKeptBy, type Management, toPrune } from './managers.ts'
import { type Document, deleteOperation, type Listed, type Operation } from './operations.ts'
import { portionsOf } from './portions.ts'
import { checkPreconditions, planChanged } from './preconditions.ts'
import { scheduler } from './scheduler.ts'
import { writePortion } from './write.ts'

/** Operations of one namespace, no two of which are about the same object. */
export interface Operations {
  readonly listed: readonly Listed[]
  /** What names them and what they do. */
  readonly digest: string
  /** @param portion of those that are listed */
  load(tx: Queryable, portion: readonly Listed[]): Promise<readonly Operation[]>
}

export interface ApplyOptions extends Management {
  /** What a dry run came to; empty for any. */
  readonly plan?: string
  /** It will be rolled back. */
  readonly isDryRun?: boolean
  /** Ends it between two portions. */
  readonly signal?: AbortSignal
}

export interface Applied {
  readonly plan: string
  readonly items: readonly PlannedItem[]
  readonly unchanged: number
}

/**
 * Does operations in a change whose namespace is locked. They are checked against what comes of all of them
 * together. Objects are read, compared and written by portions, so that neither the memory nor the turns of
 * the event loop grow with their number.
 *
 * @throws {AppError} that names the operation; then the change must not be committed
 */
export async function applyOperations(
  tx: Queryable,
  change: ChangeRecorder,
  operations: Operations,
  options: ApplyOptions = {},
): Promise<Applied> {
  const planning = await preparePlan(tx, change.namespaceKey, operations, options)
  const items = new ItemList()
  let written = 0
  for (const portion of portionsOf(planning.operations.listed, planning.heads)) {
    options.signal?.throwIfAborted()
    if (written > 0) await finishPart(tx, change)
    if (hasDoubled(written)) await tx.query('DISCARD PLANS')
    written += 1
    const outcomes = await planPortion(tx, change, portion, planning, items)
    await writePortion(
      tx,
      change,
      outcomes.filter(({ isChanged }) => isChanged),
    )
  }
  return { plan: planning.plan, items: items.items, unchanged: items.unchanged }
}

/**
 * Plans are kept for the session, and those of small tables read them whole. Usually ANALYZE renews them; of
 * what this transaction writes, it knows nothing.
 *
 * @param portions that were written
 */
function hasDoubled(portions: number): boolean {
  return portions >= 4 && Number.isInteger(Math.log2(portions))
}

/** Operations, with the deletions of what they prune, before any of them is looked at. */
export interface Planning {
  /** Names them, and the objects that they are about as they are now. */
  readonly plan: string
  readonly operations: Operations
  readonly heads: Heads
  readonly options: ApplyOptions
}

/** @throws {AppError} `plan_changed` when the options have another plan */
export async function preparePlan(
  tx: Queryable,
  namespaceKey: string,
  operations: Operations,
  options: ApplyOptions,
): Promise<Planning> {
  const { all, heads } = await withPruned(tx, namespaceKey, operations, options)
  const plan = planOf(all, options, heads)
  if (options.plan && options.plan !== plan) throw planChanged()
  return { plan, operations: all, heads, options }
}

/**
 * @param items gets what an answer says of them
 * @throws {AppError} that names the operation
 */
export async function planPortion(
  tx: Queryable,
  change: ChangeRecorder,
  portion: readonly Listed[],
  { operations, heads, options }: Planning,
  items: ItemList,
): Promise<Outcome[]> {
  const [loaded] = await Promise.all([operations.load(tx, portion), change.read(tx, portion)])
  const outcomes: Outcome[] = []
  for (const operation of loaded) {
    const head = heads.get(idOf(operation))
    try {
      const outcome = planOne(change, operation, head, options)
      items.add(outcome, head)
      outcomes.push(outcome)
    } catch (error) {
      throw labelError(operation.label, error)
    }
    if (scheduler.shouldYield) await scheduler.yield()
  }
  return outcomes
}

function planOne(
  change: ChangeRecorder,
  operation: Operation,
  head: Head | undefined,
  options: ApplyOptions,
): Outcome {
  const { namespaceKey } = change
  const { kind, isDeletion } = operation
  const title = titleOf(namespaceKey, operation)
  const stored = change.before(operation)
  checkPreconditions(title, operation, head?.revision, stored?.document)
  checkKeptBy(title, options, head)
  const given = operation.next(stored?.document, namespaceKey)
  const after = given && documentToStore(title, operation, stored?.document, given)
  const { managedBy = '' } = head ?? {}
  const keeper = isDeletion || kind === 'namespace' ? managedBy : (options.manager ?? managedBy)
  const isSame = after && canonicalText(kind, after) === stored?.text
  const isChanged = after === undefined ? stored !== undefined : !isSame || keeper !== managedBy
  const changes =
    isChanged && after !== undefined ? diffDocuments(kind, stored?.document, after) : []
  return { operation, before: stored?.document, after, managedBy: keeper, changes, isChanged }
}

/** @throws {AppError} `invalid_argument` */
function documentToStore(
  title: string,
  { kind, isRestored = false }: Operation,
  current: Document | undefined,
  document: Document,
): Document {
  if (current && 'type' in current && 'type' in document && current.type !== document.type) {
    throw invalidArgument(`${title} is a ${current.type}: its type cannot be changed`)
  }
  return withIds(kind, current, document, isRestored)
}

/** The operations, and the deletions of what is pruned. */
async function withPruned(
  tx: Queryable,
  namespaceKey: string,
  operations: Operations,
  { manager = '', prune = false, plan = '', isDryRun = false }: ApplyOptions,
): Promise<{ readonly all: Operations; readonly heads: Heads }> {
  const { listed } = operations
  const heads = await readHeads(tx, namespaceKey, listed)
  if (!prune) return { all: operations, heads }
  const kept = await readManaged(tx, namespaceKey, manager)
  const named = new Set(listed.map(idOf))
  const sets = listed.some(({ isDeletion }) => !isDeletion)
  const pruned = new Set<Listed>(
    toPrune(kept, named, { sets, isPlanned: isDryRun || plan !== '' }).map(
      ({ kind, key, bytes }) => ({
        ...{ kind, key, bytes, isDeletion: true },
      }),
    ),
  )
  const all: Operations = {
    ...operations,
    listed: [...listed, ...pruned],
    load: async (tx, portion) => [
      ...(await operations.load(
        tx,
        portion.filter((one) => !pruned.has(one)),
      )),
      ...portion.filter((one) => pruned.has(one)).map((one) => deleteOperation(one, 'prune')),
    ],
  }
  return { all, heads: new Map([...heads, ...kept]) }
}

/** Names the operations, and the objects that they are about as they are now. */
function planOf({ digest, listed }: Operations, options: ApplyOptions, heads: Heads): string {
  const { manager = '', prune = false, takeOver = false } = options
  const hash = createHash('sha256').update(JSON.stringify([digest, manager, prune, takeOver]))
  for (const one of listed) {
    const { revision = 0, managedBy = '' } = heads.get(idOf(one)) ?? {}
    hash.update(`\n${idOf(one)} ${revision} ${managedBy}`)
  }
  return hash.digest('hex')
}

/** Operations that are all in memory. @param digest names them and what they do */
export function operationsInMemory(operations: readonly Operation[], digest: string): Operations {
  const byId = new Map(operations.map((one) => [idOf(one), one]))
  return {
    listed: operations,
    digest,
    load: async (_, portion) => portion.flatMap((one) => byId.get(idOf(one)) ?? []),
  }
}
