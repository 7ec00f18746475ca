import { createHash } from 'node:crypto'
import type { Settings } from '@svc/config'
import type { Database } from '@svc/database'
import type { NamespaceFiles } from '@svc/documents/files'
import { Operation as OperationMessage } from '@svc/proto/resource/v1/apply'
import { CreateNamespaceRequest } from '@svc/proto/resource/v1/namespaces'
import { AppError, type Logger, SettingsError } from '@svc/runtime'
import { applyOperations, operationsInMemory } from '../apply/apply.ts'
import { labelled } from '../apply/labels.ts'
import { type Operation, toOperation } from '../apply/operations.ts'
import { commitChange, commitCreation, type Write } from '../changes/commit.ts'
import type { ChangeContext } from '../changes/origin.ts'
import type { ChangeRecorder } from '../changes/recorder.ts'
import { createNamespace } from '../namespaces/namespaces.ts'
import { readSeed } from './seed-files.ts'
import { findHolds, findSeeded, lockSeeds, rememberSeeded } from './seeds.store.ts'

type Mode = Settings['seed']['mode']

interface SeedOptions extends Readonly<Settings['seed']> {
  /** Writes. */
  readonly db: Database
  /** Has the lock. */
  readonly background: Database
  readonly log: Pick<Logger, 'info'>
}

/** Who keeps what is seeded at each start. */
const manager = 'seed'

/**
 * Seeds namespaces with what the files of `seed.path` have, before this process listens. Of several replicas
 * one does it; the others wait, and find it done. Each namespace is one change.
 *
 * @throws {SettingsError} for files that cannot be read, or hold what cannot be done: with file and line
 */
export async function seed({ db, background, log, path, mode }: SeedOptions): Promise<void> {
  if (path === undefined) return
  const isOnce = mode === 'once'
  // Into an empty namespace, so that there are no other segments.
  const { namespaces } = await readSeed(path, isOnce)
  const seeds = toSeeds(namespaces, mode)
  await background.transaction(async (lock) => {
    await lockSeeds(lock)
    for (const one of seeds) {
      const { namespaceKey, sha256, operations } = one
      const seeded = await findSeeded(db, namespaceKey)
      if (isOnce ? seeded !== undefined : seeded?.sha256 === sha256) continue
      const holds = await findHolds(db, namespaceKey)
      if (isOnce && holds === true) {
        await rememberSeeded(db, namespaceKey, { sha256: null })
        log.info({ namespace: namespaceKey }, 'not seeded: the namespace holds flags or segments')
        continue
      }
      const revision = await apply(db, one, { isOnce, isNew: holds === undefined })
      log.info({ namespace: namespaceKey, revision, operations: operations.length }, 'seeded')
    }
  })
}

/** What comes into one namespace. */
interface Seed extends Pick<NamespaceFiles, 'namespaceKey' | 'settings'> {
  readonly operations: readonly Operation[]
  readonly sha256: string
}

/** @throws {SettingsError} with a line for each operation that is none */
function toSeeds(namespaces: readonly NamespaceFiles[], mode: Mode): readonly Seed[] {
  const problems: string[] = []
  const seeds = namespaces.map((files) => {
    const { namespaceKey, settings } = files
    const messages = toMessages(files, mode)
    const operations = messages.flatMap((message) => {
      try {
        const place = placeOf(files, message)
        return labelled(place, () => toOperation(namespaceKey, message, place))
      } catch (error) {
        if (!(error instanceof AppError)) throw error
        problems.push(`seed.path: ${error.message}`)
        return []
      }
    })
    return { namespaceKey, settings, operations, sha256: digestOf(namespaceKey, messages, mode) }
  })
  if (problems.length > 0) throw new SettingsError(problems.slice(0, maxProblems))
  return seeds
}

/** What follows a hundred problems is mostly their consequence. */
const maxProblems = 100

/** @returns the revision of the namespace */
async function apply(
  db: Database,
  seed: Seed,
  { isOnce, isNew }: { readonly isOnce: boolean; readonly isNew: boolean },
): Promise<number | undefined> {
  const { namespaceKey, sha256 } = seed
  const options = { source: 'seed', ...(!isOnce && { details: { manager } }) } as const
  // A new namespace has its settings from the beginning.
  const wanted = seed.operations.filter(({ kind }) => !isNew || kind !== 'namespace')
  const write: Write<ChangeRecorder> = async (tx, change) => {
    if (isNew) await createNamespace(tx, change, toNamespace(seed))
    const all = operationsInMemory(wanted, sha256)
    await applyOperations(tx, change, all, isOnce ? {} : { manager })
    await rememberSeeded(tx, namespaceKey, { sha256 })
    return change
  }
  const target = { namespaceKey, records: [] }
  const { revision, previousRevision } = await (isNew
    ? commitCreation(db, namespaceKey, context, write, options)
    : commitChange(db, target, context, write, options)
  ).catch((error: unknown) => {
    // What the files ask for would fail likewise at the next start.
    const isPassing = !(error instanceof AppError) || error.code === 'unavailable'
    throw isPassing ? error : new SettingsError([`seed.path: ${error.message}`])
  })
  return revision ?? previousRevision
}

function toNamespace({ namespaceKey, settings }: Seed): CreateNamespaceRequest {
  return CreateNamespaceRequest.fromPartial({
    key: namespaceKey,
    name: settings?.name || namespaceKey,
    description: settings?.description ?? '',
  })
}

/** Segments first. What others have made meanwhile, nothing that is done once replaces. */
function toMessages(
  { namespaceKey, settings, flags, segments }: NamespaceFiles,
  mode: Mode,
): OperationMessage[] {
  const ifRevision = mode === 'once' ? { ifRevision: 0 } : {}
  return [
    // The colour and the like stay as they are.
    ...(settings === undefined
      ? []
      : [{ kind: 'NAMESPACE_KIND' as const, key: namespaceKey, patch: { ...settings } }]),
    ...segments.map((segment) => ({
      ...{ kind: 'SEGMENT_KIND' as const, key: segment.key, segment },
      ...ifRevision,
    })),
    ...flags.map((flag) => ({ kind: 'FLAG_KIND' as const, key: flag.key, flag, ...ifRevision })),
  ].map((operation) => OperationMessage.fromPartial(operation))
}

/** Names what is seeded and how: what is formatted otherwise is the same. */
function digestOf(
  namespaceKey: string,
  operations: readonly OperationMessage[],
  mode: Mode,
): string {
  const hash = createHash('sha256').update(JSON.stringify([mode, namespaceKey]))
  for (const operation of operations) {
    const bytes = OperationMessage.encode(operation).finish()
    hash.update(`\n${bytes.length}\n`).update(bytes)
  }
  return hash.digest('hex')
}

/** In errors, such as `flags.yml:12:3`. */
function placeOf(files: NamespaceFiles, { kind, key }: OperationMessage): string {
  if (kind === 'NAMESPACE_KIND') return `namespace "${key}"`
  return files.placeOf(kind === 'FLAG_KIND' ? 'flag' : 'segment', key) ?? `"${key}"`
}

/** No call asks for it. */
const context: ChangeContext = {
  caller: { tokenId: '', principal: 'system', method: 'system', name: '', namespaceKey: null },
  get: () => undefined,
  setTrailer() {},
}
