import { AppError, Limiter, type Logger, LogThrottle, unavailable } from '@svc/runtime'
import { Circuit } from '../../credentials/cache/circuit.ts'
import { unauthenticated } from '../../credentials/records/refusals.ts'
import { allowedAccounts } from './allowed-accounts.ts'
import { type ServiceAccount, toServiceAccount } from './service-account.ts'
import { readExpiry } from './service-account-token.ts'
import type { OrchestratorSettings } from './settings.ts'
import type { ReviewToken } from './token-reviews.ts'

/** How long the circuit stays open after repeated failures; then one request tries again. */
const retryAfterMs = 5000

/**
 * Maximum time of a review with the wait before it, in milliseconds. The caller expects an answer
 * within two seconds; the rest of them is for the network and a busy machine.
 */
const reviewLimitMs = 1500

/** When the wait leaves a review less than this, in milliseconds, the API server is not to blame if it takes longer. */
const fairLimitMs = 1000

/** The wait has left a review too little time. */
class OutOfTime extends Error {
  override readonly name = 'OutOfTime'
}

/** A workload that is allowed to log in. */
export interface Workload {
  readonly account: ServiceAccount
  /** See {@link allowedAccounts}. */
  readonly namespaceKey: string
  /** Expiry of its service-account token, in seconds since 1970. */
  readonly expiresAt: number
}

/**
 * @returns what verifies a service-account token and finds its account, given the caller's address. It
 *   throws {AppError} `unauthenticated` for an invalid token; `permission_denied` for a valid one of an
 *   account that is not allowed; `resource_exhausted` and `unavailable` when it was not reviewed
 */
export function workloadVerifier(
  { audience = '', serviceAccounts }: OrchestratorSettings,
  reviewToken: ReviewToken,
  log: Logger,
) {
  const allowed = allowedAccounts(serviceAccounts)
  const review = boundedReview(reviewToken, log)
  const throttle = new LogThrottle((key, suppressed) => {
    const [reason, caller] = key?.split(' ') ?? ['any', 'other']
    log.info({ reason, caller, suppressed }, 'refused more service accounts for the same reason')
  })
  return async (token: string, caller: string): Promise<Workload> => {
    const expiresAt = readExpiry(token)
    if (expiresAt === undefined) throw unauthenticated('malformed_credential')
    const account = toServiceAccount(await review(token, caller), audience)
    if (account === undefined) {
      if (throttle.shouldLog(`unverified ${caller}`)) {
        log.info({ caller }, 'refused a service-account token that the cluster does not verify')
      }
      throw unauthenticated()
    }
    const { namespace, name } = account
    const namespaceKey = allowed(account)
    if (namespaceKey === undefined) {
      if (throttle.shouldLog(`not_listed ${namespace}/${name}`)) {
        log.info({ namespace, name }, 'refused a service account that is not in service_accounts')
      }
      const message = `service account "${namespace}:${name}" may not log in here`
      throw new AppError('permission_denied', 'service_account_not_allowed', message)
    }
    return { account, namespaceKey, expiresAt }
  }
}

/** Limits the load on the API server, and logs when it fails and recovers. */
function boundedReview(review: ReviewToken, log: Logger) {
  const limiter = reviewLimiter()
  const circuit = new Circuit({
    retryAfterMs,
    isFailure: (error) => !(error instanceof OutOfTime),
  })
  let fault: string | undefined
  const attempt = async (token: string, leftMs: number) => {
    const signal = AbortSignal.timeout(leftMs)
    try {
      const status = await review(token, signal)
      if (fault !== undefined) log.info('the API server of the cluster reviews tokens again')
      fault = undefined
      return status
    } catch (error) {
      if (signal.aborted && leftMs < fairLimitMs) throw new OutOfTime()
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
      return circuit.run(() => attempt(token, leftMs))
    })
    if (status === undefined) throw unverifiable()
    return status
  }
}

/** Limits the requests to the API server, which serves the whole cluster. */
export function reviewLimiter(): Limiter {
  return new Limiter({
    maxRunning: 10,
    maxStartsPerSecond: 20,
    // As many as begin within the limit, when each review is quick.
    maxWaiting: 30,
    maxWaitingPerKey: 10,
    maxWaitMs: reviewLimitMs,
    refuse: (_caller, refusal) => (refusal === 'queue_full' ? tooMany() : unverifiable()),
  })
}

function tooMany(): AppError {
  const message = 'too many service accounts log in, try again in a second'
  return new AppError('resource_exhausted', 'too_many_reviews', message)
}

/** The API server cannot be asked, or does not answer. */
function unverifiable(): AppError {
  return unavailable('service accounts cannot be verified at present, try again')
}
