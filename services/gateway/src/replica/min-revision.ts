import type { IncomingHttpHeaders } from 'node:http'
import { isKey } from '@svc/contract'
import { invalidField, type MaybePromise, unavailable } from '@svc/runtime'
import type { Replica } from './replica.ts'

/** The least revision that a read may show: the `X-Svc-Revision` of a write. */
export interface MinRevision {
  readonly namespaceKey: string
  readonly revision: number
}

/** Longest wait for a revision, in milliseconds. A change usually takes a few to get here. */
const maxWaitMs = 500

/** Maximum revisions that one request may name; it is about a few namespaces. */
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
 * Waits until this gateway has reached all revisions.
 *
 * @throws {AppError} `unavailable` when one does not come in time
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
