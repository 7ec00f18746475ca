import { type AssertionFault, assertionKey, type Caller, readAssertion } from '@svc/access'
import { type AuthorizeCall, unvouchedReason } from '@svc/rpc'
import { AppError, type Logger, LogThrottle } from '@svc/runtime'
import { namespacesIn, type Scope, scopeOf } from './access.ts'

/**
 * How old an assertion may be, in milliseconds: this long, a token goes on managing flags after it was
 * revoked if its gateway is cut off from auth. Gateways ask for a new one before.
 */
const maxAgeMs = 5000

/** Caller of what only services call, and of everything where no assertion key is set. */
export const anonymous: Caller = {
  tokenId: '',
  method: 'anonymous',
  name: '',
  namespaceKey: null,
}

/**
 * Lets calls pass that auth vouches for: who is behind them, and in which namespace they may act. What
 * a gateway says of a caller counts for nothing.
 *
 * @param keys any of which an assertion may be made with; without one, all calls pass
 * @param nowMs by a clock that the auth service has, too
 */
export function admitVouched(
  keys: readonly string[],
  log: Logger,
  nowMs: () => number,
): AuthorizeCall<Caller> {
  const scopes = new Map<object, Scope>()
  const throttle = new LogThrottle()

  const warn = (fault: AssertionFault, method: string) => {
    if (!throttle.shouldLog(fault)) return
    const message = 'refused a call that the auth service does not vouch for'
    log.warn({ fault, method }, `${message}: ${describe(fault)}`)
  }

  return (_service, method, request, context) => {
    const scope = scopes.get(method) ?? scopeOf(method)
    scopes.set(method, scope)
    if (keys.length === 0 || scope.kind === 'internal') return anonymous
    const caller = readAssertion(context.get(assertionKey), keys, nowMs(), maxAgeMs)
    if (typeof caller === 'string') {
      warn(caller, method.name)
      const message = `it does not accept the assertion of the auth service: ${describe(caller)}`
      throw new AppError('permission_denied', unvouchedReason, message)
    }
    if (!isWithin(caller, scope, request)) throw restricted(caller)
    return caller
  }
}

/** A fault in words for the logs of both services. */
function describe(fault: AssertionFault): string {
  switch (fault) {
    case 'unknown key':
    case 'forged':
      return 'internal.assertion_key differs between auth and resource'
    case 'old':
      return `it is older than ${maxAgeMs / 1000} s by the clock of the database`
    case 'missing':
    case 'malformed':
    case 'other audience':
      return `it is ${fault}; the versions of the services may differ`
  }
}

function isWithin({ namespaceKey }: Caller, scope: Scope, request: unknown): boolean {
  if (namespaceKey === null) return true
  if (scope.kind !== 'namespace') return false
  const named = namespacesIn(request, scope.field)
  return named.length > 0 && named.every((one) => one === namespaceKey)
}

function restricted({ name, namespaceKey }: Caller): AppError {
  const message = `token "${name}" is restricted to namespace "${namespaceKey}"`
  return new AppError('permission_denied', 'namespace_restricted', message)
}
