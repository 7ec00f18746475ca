import { AppError, type Logger, LogThrottle } from '@svc/runtime'
import { Circuit } from '../../credentials/cache/circuit.ts'
import { unauthenticated } from '../../credentials/records/refusals.ts'
import type { AccountName, Admission, AllowedAccounts } from './allowed-accounts.ts'
import { reviewLimiter, reviewLimitMs, unverifiable } from './review-limiter.ts'
import { readExpiry } from './service-account-token.ts'
import type { ReviewToken } from './token-reviews.ts'
import { type ServiceAccount, toServiceAccount } from './verdict.ts'

/** How often an API server that has failed again and again is tried: by one request. */
const retryAfterMs = 5000

/** A workload that may log in. */
export interface Workload extends Admission {
  readonly account: ServiceAccount
  /** When the token that it presented expires, in seconds since 1970. */
  readonly expiresAt: number
}

/**
 * Tells whose token of a service account this is.
 *
 * @param caller the address of whoever presents it
 * @throws {AppError} `unauthenticated` for a bad token, `permission_denied` for the good one of an
 *   account that may not log in, `resource_exhausted` and `unavailable` when nobody looked at it
 */
export type AdmitWorkload = (serviceAccountToken: string, caller: string) => Promise<Workload>

export interface AdmissionParts {
  readonly review: ReviewToken
  readonly audience: string
  readonly allowed: AllowedAccounts
  readonly log: Logger
}

export function workloadAdmission(parts: AdmissionParts): AdmitWorkload {
  const { audience, allowed, log } = parts
  const ask = patientReview(parts)
  const throttle = new LogThrottle({
    onSuppressed(key, suppressed) {
      const [reason, caller] = key?.split(' ') ?? ['any', 'others']
      log.info({ reason, caller, suppressed }, 'refused service accounts, and told once')
    },
  })
  return async (token, caller) => {
    const expiresAt = readExpiry(token)
    if (expiresAt === undefined) throw unauthenticated()
    const account = toServiceAccount(await ask(token, caller), audience)
    if (account === undefined) {
      if (throttle.shouldLog(`unvouched ${caller}`)) {
        log.info({ caller }, 'refused a service-account token that the cluster does not vouch for')
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

/** Asks the API server no more than it can bear, and tells the log when it does not answer. */
function patientReview({ review, log }: AdmissionParts) {
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
