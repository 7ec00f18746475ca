import { AppError, type Logger, LogThrottle } from '@svc/runtime'
import { Circuit } from '../../credentials/cache/circuit.ts'
import { unauthenticated } from '../../credentials/records/refusals.ts'
import type { AccountName, Admission, AllowedAccounts } from './allowed-accounts.ts'
import { reviewLimiter, reviewLimitMs, unverifiable } from './review-limiter.ts'
import { readExpiry } from './service-account-token.ts'
import type { ReviewToken } from './token-reviews.ts'
import { type ServiceAccount, toServiceAccount } from './verdict.ts'

/** How long the circuit stays open after repeated failures; then one request tries again. */
const retryAfterMs = 5000

/** A workload that is allowed to log in. */
export interface Workload extends Admission {
  readonly account: ServiceAccount
  /** Expiry of its service-account token, in seconds since 1970. */
  readonly expiresAt: number
}

/**
 * Verifies a service-account token and finds its account.
 *
 * @param caller the address of the caller
 * @throws {AppError} `unauthenticated` for an invalid token; `permission_denied` for a valid one of an
 *   account that is not allowed; `resource_exhausted` and `unavailable` when it was not reviewed
 */
export type VerifyWorkload = (serviceAccountToken: string, caller: string) => Promise<Workload>

export interface VerifierParts {
  readonly review: ReviewToken
  readonly audience: string
  readonly allowed: AllowedAccounts
  readonly log: Logger
}

export function workloadVerifier(parts: VerifierParts): VerifyWorkload {
  const { audience, allowed, log } = parts
  const review = boundedReview(parts)
  const throttle = new LogThrottle({
    onSuppressed(key, suppressed) {
      const [reason, caller] = key?.split(' ') ?? ['any', 'other']
      log.info({ reason, caller, suppressed }, 'refused more service accounts for the same reason')
    },
  })
  return async (token, caller) => {
    const expiresAt = readExpiry(token)
    if (expiresAt === undefined) throw unauthenticated()
    const account = toServiceAccount(await review(token, caller), audience)
    if (account === undefined) {
      if (throttle.shouldLog(`unverified ${caller}`)) {
        log.info({ caller }, 'refused a service-account token that the cluster does not verify')
      }
      throw unauthenticated()
    }
    const { namespace, name } = account
    const admission = allowed(account)
    if (admission === undefined) {
      if (throttle.shouldLog(`not_listed ${namespace}/${name}`)) {
        log.info({ namespace, name }, 'refused a service account that is not in service_accounts')
      }
      throw notAllowed(account)
    }
    return { ...admission, account, expiresAt }
  }
}

/** Limits the load on the API server, and logs when it fails and recovers. */
function boundedReview({ review, log }: VerifierParts) {
  const limiter = reviewLimiter()
  const circuit = new Circuit({ retryAfterMs })
  let fault: string | undefined
  const attempt = async (token: string, signal: AbortSignal) => {
    try {
      const status = await review(token, signal)
      if (fault !== undefined) log.info('the API server of the cluster reviews tokens again')
      fault = undefined
      return status
    } catch (error) {
      const reason = error instanceof Error ? error.message : 'unknown'
      if (reason !== fault) log.warn({ reason }, 'the API server of the cluster reviews no tokens')
      fault = reason
      throw error
    }
  }
  return async (token: string, caller: string): Promise<unknown> => {
    const deadline = performance.now() + reviewLimitMs
    const status = await limiter.run(caller, () => {
      const leftMs = Math.max(0, Math.ceil(deadline - performance.now()))
      const signal = AbortSignal.timeout(leftMs)
      return circuit.run(() => attempt(token, signal))
    })
    if (status === undefined) throw unverifiable()
    return status
  }
}

function notAllowed({ namespace, name }: AccountName): AppError {
  const message = `service account "${namespace}:${name}" may not log in here`
  return new AppError('permission_denied', 'service_account_not_allowed', message)
}
