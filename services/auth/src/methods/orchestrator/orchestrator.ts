import type { Database } from '@svc/database'
import { OrchestratorServiceDefinition } from '@svc/proto/auth/v1/orchestrator'
import type { RpcServer } from '@svc/rpc'
import type { Logger } from '@svc/runtime'
import { workloadAdmission } from './admission.ts'
import { allowedAccounts, findBoundless } from './allowed-accounts.ts'
import { orchestratorHandlers } from './orchestrator.rpc.ts'
import type { OrchestratorSettings } from './settings.ts'
import { openTokenReviews, ReviewError, readOwnToken } from './token-reviews.ts'

/** Lets workloads of the cluster log in, where that is enabled. */
export async function addOrchestrator(
  server: RpcServer,
  db: Database,
  settings: OrchestratorSettings,
  log: Logger,
): Promise<void> {
  const { enabled, audience = '', serviceAccounts, maxTtl } = settings
  if (!enabled) return
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
  const allowed = allowedAccounts(serviceAccounts)
  const admit = workloadAdmission({ review, audience, allowed, log })
  server.add(OrchestratorServiceDefinition, orchestratorHandlers(db, admit, maxTtl, log))
}
