import { type Database, limiterPerDatabase, type Queryable, tryLock } from '@svc/database'
import type { Verification, VerifyChangesRequest } from '@svc/proto/resource/v1/changes'
import { AppError, unavailable } from '@svc/runtime'
import { logSettingsOf } from '../changes/log-settings.ts'
import { checkWhole } from '../records/requests.ts'
import { beginningOf, findPlace, readChain } from './chain.store.ts'
import { checkKnown } from './missing.ts'
import { endOfTime, Slice } from './slice.ts'

/** Maximum changes of a request. */
const maxChanges = 10_000

/** Time after which a slice ends early, in milliseconds. The gateway waits for 20 s. */
const sliceMs = 8000

/**
 * Verifies a slice of a namespace's changes, all of it as it is at one moment.
 *
 * @param request that was checked
 * @throws {AppError} `unavailable` while another request verifies the namespace, or two others anything
 */
export async function verifyChanges(
  db: Database,
  request: VerifyChangesRequest,
): Promise<Verification> {
  const { namespaceKey } = request
  const after = checkWhole('after', request.after)
  return limiterOf(db).run(namespaceKey, async () => {
    const slices: Slice[] = []
    const verify = async (tx: Queryable) => {
      // Other processes verify, too.
      if (!(await tryLock(tx, `resource.verification ${namespaceKey}`))) {
        throw verifying(namespaceKey)
      }
      const slice = await openSlice(db, tx, namespaceKey, after)
      slices[0] = slice
      await slice.run(tx, request.limit || maxChanges, performance.now() + sliceMs)
      if (slice.isAtEnd && slice.check.brokenAt === undefined) {
        await slice.checkEnd(tx, await readChain(tx, namespaceKey))
      }
      return slice
    }
    const slice = await db.transaction(verify, { readOnly: true }).catch((error: unknown) => {
      // What was verified before the database failed, or was too slow, counts: the next slice goes on.
      const [begun] = slices
      const isLost = begun === undefined || begun.check.checked === 0
      if (isLost || !(error instanceof AppError && error.code === 'unavailable')) throw error
      begun.isAtEnd = false
      return begun
    })
    return toVerification(slice)
  })
}

/** @param after the revision up to which a slice before this one has verified */
async function openSlice(db: Database, tx: Queryable, namespaceKey: string, after: number) {
  const chain = await readChain(tx, namespaceKey)
  const { keys } = logSettingsOf(db)
  const beginning = beginningOf(namespaceKey, chain)
  const place = await findPlace(tx, namespaceKey, after)
  if (place !== undefined && place.position > beginning.start.position) {
    return new Slice({ namespaceKey, keys, start: place, proof: undefined })
  }
  const slice = new Slice({ namespaceKey, keys, ...beginning })
  await slice.checkBeginning(tx)
  if ((await findPlace(tx, namespaceKey, endOfTime)) === undefined) {
    await checkKnown(tx, namespaceKey)
  }
  return slice
}

function toVerification({ check, first, gaps, isAtEnd }: Slice): Verification {
  const { checked, brokenAt, fault, last, unproven } = check
  const isOver = isAtEnd || brokenAt !== undefined
  return {
    intact: fault === undefined,
    checked,
    fromRevision: first,
    toRevision: checked === 0 ? 0 : last.position,
    head: last.hash.toString('hex'),
    ...(brokenAt !== undefined && { brokenAt }),
    fault: fault ?? '',
    next: isOver ? 0 : last.position,
    gaps,
    unproven: unproven.map(({ keyId, first, last, count }) => ({
      ...{ keyId, fromRevision: first, toRevision: last, count },
    })),
  }
}

/** Maximum verifications of a process at once: each has a connection for some seconds. */
const maxRunning = 2

const limiterOf = limiterPerDatabase({
  ...{ maxRunning, maxRunningPerKey: 1, maxWaiting: 0 },
  refuse: verifying,
})

function verifying(namespaceKey: string): AppError {
  return unavailable(`the changes of namespace "${namespaceKey}" are being verified, try again`)
}
