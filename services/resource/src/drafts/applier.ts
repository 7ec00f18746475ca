import { type Database, isStatementTimeout } from '@svc/database'
import { AppError, type Logger, notFound, type Running, startEvery } from '@svc/runtime'
import { applyOperations } from '../apply/apply.ts'
import { commitChanges } from '../changes/commit.ts'
import { finishPart } from '../changes/finish.ts'
import type { ChangeContext } from '../changes/origin.ts'
import {
  type Application,
  type ApplicationFailure,
  countDrafts,
  findNext,
  lockApplication,
  markApplied,
  markFailed,
  maxTryMinutes,
} from './applications.store.ts'
import { managementOf, operationsOf } from './draft-operations.ts'
import { listApplied } from './drafts.store.ts'

/** Interval between looks at what other processes were asked to do and have not done, in milliseconds. */
const intervalMs = 1000

/** Its deadline has passed. */
const late: ApplicationFailure = {
  reason: 'unavailable',
  failedNamespaceKey: '',
  message:
    `not applied within ${maxTryMinutes} minutes, for the service was interrupted or the namespace was ` +
    'busy: apply it again',
}

/** What no caller may see is in the log. */
const internal: ApplicationFailure = {
  reason: 'internal',
  message: 'internal error',
  failedNamespaceKey: '',
}

/** Maximum applications of which a timeout is remembered: what another process has done stays remembered. */
const maxTimedOut = 1000

interface ApplierOptions {
  /** Writes. */
  readonly db: Database
  /** Looks for what there is to do, and says what has become of it. */
  readonly background: Database
  readonly log: Logger
}

/** Applies drafts, one application at a time. Several replicas may do so at once: each is done by one. */
export class DraftApplier {
  readonly #options: ApplierOptions
  readonly #closing = new AbortController()
  /** Ids of applications of which a statement has taken too long, the oldest first. */
  readonly #timedOut = new Set<string>()
  #running: Promise<void> | undefined

  constructor(options: ApplierOptions) {
    this.#options = options
  }

  /** Does all that there is to do, or joins the run that does. */
  run(): Promise<void> {
    this.#running ??= this.#runAll().finally(() => {
      this.#running = undefined
    })
    return this.#running
  }

  /** Ends what is under way: it leaves nothing written, and another process does it. */
  async close(): Promise<void> {
    this.#closing.abort()
    await this.#running?.catch(() => {})
  }

  async #runAll(): Promise<void> {
    const { background } = this.#options
    const seen: string[] = []
    while (!this.#closing.signal.aborted) {
      const next = await findNext(background, seen)
      if (next === undefined) return
      seen.push(next.id)
      if (next.isLate) await markFailed(background, next, late)
      else await this.#apply(next)
    }
  }

  /** What fails for the moment stays to be done. */
  async #apply(application: Application): Promise<void> {
    const { db, background, log } = this.#options
    const { id: applicationId } = application
    const failed: FailedDrafts = new Map()
    try {
      const drafts = await applyApplication(db, application, failed, this.#closing.signal)
      this.#timedOut.delete(applicationId)
      if (drafts !== undefined) log.info({ applicationId, drafts }, 'applied drafts')
    } catch (error) {
      if (this.#closing.signal.aborted) return
      if (this.#mayPass(applicationId, error)) {
        log.debug({ err: error, applicationId }, 'drafts wait to be applied')
        return
      }
      const isKnown = error instanceof AppError
      if (isKnown) log.info({ applicationId, reason: error.reason }, 'refused to apply drafts')
      else log.error({ err: error, applicationId }, 'failed to apply drafts')
      const failure: ApplicationFailure = isKnown
        ? { reason: error.reason, message: error.message, failedNamespaceKey: failed.get(error) }
        : internal
      await markFailed(background, application, failure)
      this.#timedOut.delete(applicationId)
    }
  }

  /** Whether to try it again. A statement that takes too long twice is likely to do so each time. */
  #mayPass(applicationId: string, error: unknown): boolean {
    if (!(error instanceof AppError) || error.code !== 'unavailable') return false
    if (!isStatementTimeout(error)) return true
    if (this.#timedOut.has(applicationId)) return false
    this.#timedOut.add(applicationId)
    const [oldest] = this.#timedOut
    if (this.#timedOut.size > maxTimedOut && oldest !== undefined) this.#timedOut.delete(oldest)
    return true
  }
}

/** Keeps drafts being applied until it is closed. */
export function startApplier(options: ApplierOptions): Running & { readonly run: () => void } {
  const applier = new DraftApplier(options)
  const run = () => applier.run()
  const repeating = startEvery(intervalMs, options.log, run)
  return {
    run: () =>
      void run().catch((err: unknown) => options.log.error({ err }, 'background work failed')),
    async close() {
      await applier.close()
      await repeating.close()
    },
  }
}

interface DoneDraft {
  readonly id: string
  readonly namespaceKey: string
  readonly revision: number
}

/** Namespaces of drafts by the errors that they failed with. The errors stay as they are: the pool goes by them. */
type FailedDrafts = Map<unknown, string>

/**
 * All drafts of an application, in one transaction with the note that they are applied.
 *
 * @param failed gets the draft that failed
 * @returns nothing when another process has done it
 * @throws {AppError} of the first operation that cannot be done
 */
async function applyApplication(
  db: Database,
  application: Application,
  failed: FailedDrafts,
  signal: AbortSignal,
): Promise<DoneDraft[] | undefined> {
  const drafts = await listApplied(db, application.id)
  if (drafts.length < application.draftCount) throw draftsGone()
  const targets = drafts.map(({ namespaceKey, manager, details }) => ({
    ...{ namespaceKey, records: [] },
    details: detailsOf(manager, details),
  }))
  return commitChanges(
    db,
    targets,
    contextOf(application),
    async (tx, changes) => {
      if (!(await lockApplication(tx, application.id))) return undefined
      if ((await countDrafts(tx, application.id)) < drafts.length) throw draftsGone()
      const done: DoneDraft[] = []
      for (const [place, draft] of drafts.entries()) {
        const change = changes[place]
        if (change === undefined) throw new Error('a target without a change')
        const { id, namespaceKey, plan } = draft
        try {
          const operations = await operationsOf(tx, draft)
          await applyOperations(tx, change, operations, { ...managementOf(draft), plan, signal })
          // So that no more than a part of one draft is in memory.
          await finishPart(tx, change)
        } catch (error) {
          failed.set(error, namespaceKey)
          throw error
        }
        done.push({ id, namespaceKey, revision: change.revision ?? change.previousRevision ?? 0 })
      }
      await markApplied(tx, application.id, done)
      return done
    },
    { source: 'apply', comment: application.comment },
  )
}

function draftsGone(): AppError {
  return notFound('draft', 'a draft is gone, with its namespace')
}

function detailsOf(manager: string, details: Readonly<Record<string, unknown>> | null) {
  const all = { ...details, ...(manager !== '' && { manager }) }
  return Object.keys(all).length === 0 ? undefined : all
}

/** The call that asked for it. */
function contextOf({ caller, address, requestId }: Application): ChangeContext {
  const metadata = new Map([
    ['svc-client-address', address],
    ['svc-request-id', requestId],
  ])
  return { caller, get: (name) => metadata.get(name), setTrailer() {} }
}
