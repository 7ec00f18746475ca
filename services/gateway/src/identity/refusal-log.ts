import { networkOf } from '@svc/access'
import type { Identity } from '@svc/proto/auth/v1/identities'
import { AppError, type Logger, LogThrottle } from '@svc/runtime'
import type { Exchange } from '../http/exchange.ts'
import type { RefusalCounts } from './refusal-counts.ts'

/**
 * Logs the first refusal of each caller and reason in a minute, and at its end the count of the others. A
 * caller is known by its token, else by its network. All are counted for the events of the auth service.
 */
export class RefusalLog {
  readonly #log: Logger
  readonly #throttle: LogThrottle
  readonly #counts: RefusalCounts

  constructor(log: Logger, counts: RefusalCounts) {
    this.#log = log
    this.#counts = counts
    this.#throttle = new LogThrottle((key, suppressed) => {
      const [reason, caller] = key?.split(' ') ?? ['any', 'others']
      log.info({ reason, caller, suppressed }, 'suppressed refusals')
    })
  }

  /** @param identity of the caller, as far as it is known */
  note({ request, address }: Exchange, error: unknown, identity: Identity | undefined): void {
    if (!(error instanceof AppError)) return
    const { code, reason } = error
    if (code !== 'unauthenticated' && code !== 'permission_denied') return
    const tokenId = identity?.authentication?.id || undefined
    this.#counts.note({
      principal: identity?.principal || tokenId || '',
      address,
      route: request.route,
      reason,
      status: code === 'unauthenticated' ? 401 : 403,
    })
    if (!this.#throttle.shouldLog(`${reason} ${tokenId ?? networkOf(address)}`)) return
    const { id: requestId, route } = request
    this.#log.info({ requestId, reason, route, address, tokenId }, 'refused')
  }

  /** Logs what has been counted. */
  flush(): void {
    this.#throttle.flush()
  }
}
