import type { Database } from '@svc/database'
import type { OrchestratorServiceDefinition } from '@svc/proto/auth/v1/orchestrator'
import type { Handlers } from '@svc/rpc'
import { invalidField, type Logger } from '@svc/runtime'
import { unauthenticated } from '../../credentials/records/refusals.ts'
import { generateToken, hashToken } from '../../credentials/records/token.ts'
import type { VerifyWorkload } from './verify-workload.ts'
import { insertWorkload } from './workloads.store.ts'

export function orchestratorHandlers(
  db: Database,
  verify: VerifyWorkload,
  maxTtlMs: number,
  log: Logger,
) {
  return {
    async exchangeServiceAccountToken({ serviceAccountToken }, call) {
      if (serviceAccountToken === '') {
        throw invalidField('serviceAccountToken', 'must not be empty')
      }
      const workload = await verify(serviceAccountToken, call.get('svc-client-address') ?? '')
      const clientToken = generateToken()
      const authentication = await insertWorkload(db, workload, hashToken(clientToken), maxTtlMs)
      if (authentication === undefined) throw unauthenticated()
      const { namespace, name } = workload.account
      log.info({ tokenId: authentication.id, namespace, name }, 'a service account logged in')
      return { clientToken, authentication }
    },
  } satisfies Handlers<OrchestratorServiceDefinition>
}
