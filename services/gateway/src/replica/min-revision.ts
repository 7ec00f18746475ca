import type { IncomingHttpHeaders } from 'node:http'
import { isKey } from '@svc/contract'
import { invalidField, type MaybePromise, unavailable } from '@svc/runtime'
import type { Replica } from './replica.ts'

/** What a reader wants to see at least: the `X-Svc-Revision` of a write it knows of. */
export interface MinRevision {
  readonly namespaceKey: string
  readonly revision: number
}

/** A change takes milliseconds to get here; who waits longer than this had better try again. */
const maxWaitMs = 500

/** One request is about a few namespaces at most. */
const maxRevisions = 16

const none: readonly MinRevision[] = Object.freeze([])

/**
 * Reads `X-Svc-Min-Revision: <namespace>:<revision>`. Several are separated by a comma and a space,
 * as HTTP joins several headers; a key has no space in it.
 *
 * @throws {AppError} `invalid_argument`
 */
export function readMinRevisions(headers: IncomingHttpHeaders): readonly MinRevision[] {
  const header = headers['x-svc-min-revision']
  if (header === undefined) return none
  const items = String(header).split(/,\s+/, maxRevisions + 1)
  if (items.length > maxRevisions) throw malformed()
  return items.map(readOne)
}

function readOne(text: string): MinRevision {
  const [namespaceKey = '', digits = '', ...rest] = text.trim().split(':', 3)
  const revision = Number(digits)
  const isRevision = /^\d{1,16}$/.test(digits) && Number.isSafeInteger(revision)
  if (!isKey(namespaceKey) || !isRevision || rest.length > 0) throw malformed()
  return { namespaceKey, revision }
}

/**
 * Holds a read until this gateway has what the reader knows of.
 *
 * @throws {AppError} `unavailable` when it does not come in time
 */
export function waitForRevisions(
  replica: Replica,
  revisions: readonly MinRevision[],
): MaybePromise<void> {
  const missing = revisions.filter(
    ({ namespaceKey, revision }) => replica.revisionOf(namespaceKey) < revision,
  )
  if (missing.length > 0) return waitForAll(replica, missing)
}

async function waitForAll(replica: Replica, revisions: readonly MinRevision[]): Promise<void> {
  const waits = revisions.map(async ({ namespaceKey, revision }) => {
    if (await replica.waitFor(namespaceKey, revision, maxWaitMs)) return
    throw unavailable(
      `revision ${revision} of namespace "${namespaceKey}" is not here yet, try again`,
    )
  })
  await Promise.all(waits)
}

function malformed() {
  return invalidField(
    'X-Svc-Min-Revision',
    'must be the X-Svc-Revision of a write: <namespace>:<number>',
  )
}
