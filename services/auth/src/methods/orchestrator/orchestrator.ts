import { Method } from '@svc/proto/auth/v1/authentications'
import { OrchestratorServiceDefinition } from '@svc/proto/auth/v1/orchestrator'
import type { AuthMethod } from '../method.ts'
import { allowedAccounts, findBoundless } from './allowed-accounts.ts'
import { workloadName } from './metadata.ts'
import { orchestratorHandlers } from './orchestrator.rpc.ts'
import { type OrchestratorSettings, orchestratorSection } from './settings.ts'
import { openTokenReviews, ReviewError, readOwnToken } from './token-reviews.ts'
import { workloadVerifier } from './verify-workload.ts'

/** Workloads of a cluster exchange their service-account tokens for client tokens. */
export const orchestratorMethod: AuthMethod<'orchestrator', OrchestratorSettings> = {
  id: Method.METHOD_ORCHESTRATOR,
  section: 'orchestrator',
  settings: orchestratorSection,
  isInteractive: false,
  nameOf: workloadName,
  async open(settings, { db, log }) {
    const { audience = '', serviceAccounts, maxTtl } = settings
    const boundless = findBoundless(serviceAccounts)
    if (boundless.length > 0) {
      log.warn({ entries: boundless }, 'every service account of the cluster may log in')
    }
    // Only logged: what is wrong now may be mended without a restart.
    await readOwnToken(settings).catch((error: unknown) => {
      if (!(error instanceof ReviewError)) throw error
      log.warn({ reason: error.message }, 'service accounts cannot log in')
    })
    const review = await openTokenReviews(settings)
    const allowed = allowedAccounts(serviceAccounts)
    const verify = workloadVerifier({ review, audience, allowed, log })
    return {
      serve: (server) =>
        server.add(OrchestratorServiceDefinition, orchestratorHandlers(db, verify, maxTtl, log)),
    }
  },
}
