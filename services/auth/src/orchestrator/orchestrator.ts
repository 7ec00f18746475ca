import type { Logger, Settings } from '@svc/runtime'
import { type AdmitWorkload, workloadAdmission } from './admission.ts'
import { allowedAccounts, findBoundless } from './allowed-accounts.ts'
import { openTokenReviews, ReviewError, readOwnToken } from './token-reviews.ts'

/** Gets ready to tell whose tokens of service accounts are good. */
export async function openOrchestrator(
  settings: Settings['authentication']['methods']['orchestrator'],
  log: Logger,
): Promise<AdmitWorkload> {
  const { audience = '', serviceAccounts } = settings
  const boundless = findBoundless(serviceAccounts)
  if (boundless.length > 0) {
    log.warn({ entries: boundless }, 'every service account of the cluster may log in')
  }
  // What is wrong now may be put right later without a restart; so this only tells.
  await readOwnToken(settings).catch((error: unknown) => {
    if (!(error instanceof ReviewError)) throw error
    log.warn({ reason: error.message }, 'service accounts cannot log in')
  })
  const review = await openTokenReviews(settings)
  return workloadAdmission({ review, audience, allowed: allowedAccounts(serviceAccounts), log })
}
