import type { Method } from '@svc/proto/auth/v1/authentications'
import { AppError } from '@svc/runtime'
import { type Counter, counter } from '@svc/telemetry'
import { refusalOf } from './records/refusals.ts'

/** Reasons that are told apart; any other is `other`. */
const reasons: ReadonlySet<string> = new Set([
  'invalid_credential',
  'malformed_credential',
  'expired',
  'session_ended',
  'not_admitted',
  'not_begun',
  'invalid_response',
  'refused_by_provider',
  'address_refused',
  'service_account_not_allowed',
])

const methods: Readonly<Record<Method, string>> = {
  METHOD_NONE: 'unknown',
  METHOD_TOKEN: 'token',
  METHOD_OIDC: 'oidc',
  METHOD_ORCHESTRATOR: 'orchestrator',
  METHOD_CODEHOST: 'codehost',
  METHOD_JWT: 'jwt',
  METHOD_CLOUD: 'unknown',
}

/** Counts logins, exchanges and looks at credentials, of this process. */
export class AuthenticationCounts {
  readonly #counter: Counter = counter('svc.authentications')

  noteSuccess(method: Method): void {
    this.#counter.add(1, { method: methods[method], result: 'ok' })
  }

  /**
   * @param provider as events name it, such as `oidc/main`; left out where it is not known
   * @param error nothing is counted for a fault of this service
   */
  noteFailure(provider: string | undefined, error: unknown): void {
    const reason = refusalOf(error) ?? faultOf(error)
    if (reason === undefined) return
    const result = reasons.has(reason) || reason === 'unavailable' ? reason : 'other'
    const [method = 'unknown'] = provider?.split('/') ?? []
    this.#counter.add(1, { method, result })
  }
}

function faultOf(error: unknown): string | undefined {
  return error instanceof AppError && error.code === 'unavailable' ? 'unavailable' : undefined
}
