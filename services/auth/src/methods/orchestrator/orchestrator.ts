import { Method } from '@svc/proto/auth/v1/authentications'
import { OrchestratorServiceDefinition } from '@svc/proto/auth/v1/orchestrator'
import type { Handlers } from '@svc/rpc'
import { invalidField } from '@svc/runtime'
import { originOf } from '../../credentials/callers.ts'
import type { ServiceContext } from '../../credentials/context.ts'
import { holderOf } from '../../credentials/lookup/actor.ts'
import {
  insertAuthentication,
  toAuthentication,
} from '../../credentials/records/authentications.store.ts'
import { unauthenticated } from '../../credentials/records/refusals.ts'
import { generateToken, hashToken } from '../../credentials/records/token.ts'
import { noteRefusedLogin } from '../../sessions/refused-logins.ts'
import type { AuthMethod } from '../method.ts'
import { findBoundless } from './allowed-accounts.ts'
import { workloadMetadata, workloadName, workloadSubject } from './service-account.ts'
import { type OrchestratorSettings, orchestratorSection } from './settings.ts'
import { openTokenReviews, ReviewError, readOwnToken } from './token-reviews.ts'
import { workloadVerifier } from './verify-workload.ts'

/** What events call it. */
const provider = 'orchestrator'

/** Workloads of a cluster exchange their service-account tokens for client tokens. */
export const orchestratorMethod: AuthMethod<'orchestrator', OrchestratorSettings> = {
  id: Method.METHOD_ORCHESTRATOR,
  section: 'orchestrator',
  settings: orchestratorSection,
  isInteractive: false,
  nameOf: workloadName,
  subjectOf: workloadSubject,
  async open(settings, context) {
    const { log } = context
    const boundless = findBoundless(settings.serviceAccounts)
    if (boundless.length > 0) {
      log.warn({ entries: boundless }, 'every service account of the cluster may log in')
    }
    // Only logged: what is wrong now may be mended without a restart.
    await readOwnToken(settings).catch((error: unknown) => {
      if (!(error instanceof ReviewError)) throw error
      log.warn({ reason: error.message }, 'service accounts cannot log in')
    })
    const handlers = await openHandlers(settings, context)
    return { serve: (server) => server.add(OrchestratorServiceDefinition, handlers) }
  },
}

async function openHandlers(settings: OrchestratorSettings, context: ServiceContext) {
  const { counts, db, events, hooks, log, nowMs } = context
  const verify = workloadVerifier(settings, await openTokenReviews(settings), log)
  const verifyCurrent = async (token: string, caller: string) => {
    const workload = await verify(token, caller)
    // The API server may still accept a token that has expired.
    if (workload.expiresAt * 1000 <= nowMs()) throw unauthenticated('expired')
    return workload
  }
  return {
    async exchangeServiceAccountToken({ serviceAccountToken }, call) {
      if (serviceAccountToken === '') {
        throw invalidField('serviceAccountToken', 'must not be empty')
      }
      const caller = call.get('svc-client-address') ?? ''
      const { account, namespaceKey, expiresAt } = await verifyCurrent(
        serviceAccountToken,
        caller,
      ).catch((error: unknown) => {
        noteRefusedLogin(context, { provider }, error, call)
        throw error
      })
      const clientToken = generateToken()
      const row = await insertAuthentication(db, {
        method: Method.METHOD_ORCHESTRATOR,
        tokenHash: hashToken(clientToken),
        metadata: workloadMetadata(account),
        namespaceKey,
        expiresAt: { seconds: Math.floor(expiresAt), nanos: Math.floor((expiresAt % 1) * 1e9) },
        lifetimeMs: settings.maxTtl,
      })
      if (row === undefined) throw new Error('a random token exists already')
      const { namespace, name } = account
      log.info({ tokenId: row.id, namespace, name }, 'a service account logged in')
      const authentication = toAuthentication(row)
      const by = originOf(call, holderOf(hooks, authentication))
      counts.noteSuccess(Method.METHOD_ORCHESTRATOR)
      events.count({ type: 'workload.exchanged', ...by, details: { provider } })
      return { clientToken, authentication }
    },
  } satisfies Handlers<OrchestratorServiceDefinition>
}
