import {
  type AssertionFault,
  AssertionReader,
  assertionKey,
  authorize,
  type Caller,
} from '@svc/access'
import { loadContract, resolveNamespaces } from '@svc/contract'
import { type AuthorizeCall, methodPath, unvouchedReason } from '@svc/rpc'
import { AppError, type Logger, LogThrottle } from '@svc/runtime'

/**
 * Maximum age of an assertion, in milliseconds: so long a revoked token can manage flags when
 * its gateway is cut off from auth. Gateways request a new one before.
 */
const maxAgeMs = 5000

/** Caller of what only services call, and of everything where no assertion key is set. */
export const anonymous: Caller = {
  tokenId: '',
  principal: '',
  method: 'anonymous',
  name: '',
  namespaceKey: null,
}

/**
 * Authorizes calls by the assertion of the auth service: who is calling, and in which namespace they
 * may act. What a gateway itself says of a caller counts for nothing.
 *
 * @param keys current and previous of assertions; without any, all calls pass
 * @param nowMs a clock shared with the auth service
 */
export function authorizeByAssertion(
  keys: readonly string[],
  log: Logger,
  nowMs: () => number,
): AuthorizeCall<Caller> {
  const rules = new Map(loadContract().operations.map(({ path, access }) => [path, access]))
  const reader = new AssertionReader(keys, maxAgeMs)
  const throttle = new LogThrottle()

  const warn = (fault: AssertionFault, method: string) => {
    if (!throttle.shouldLog(fault)) return
    const message = 'refused a call without a valid assertion of the auth service'
    log.warn({ reason: fault, method }, `${message}: ${describe(fault)}`)
  }

  return (service, method, request, context) => {
    const rule = rules.get(methodPath(service, method.name))
    if (rule === undefined) throw new Error(`${method.name} has no access rule`)
    if (keys.length === 0 || rule.scope.case === 'internal') return anonymous
    const caller = reader.read(context.get(assertionKey), nowMs())
    if (typeof caller === 'string') {
      warn(caller, method.name)
      const message = `it does not accept the assertion of the auth service: ${describe(caller)}`
      throw new AppError('permission_denied', unvouchedReason, message)
    }
    if (caller.namespaceKey === '') throw boundToNothing(caller)
    authorize(rule, caller, resolveNamespaces(rule, request as object))
    return caller
  }
}

/** Of an empty bound, which {@link authorize} takes for none: auth says null where there is none. */
function boundToNothing({ name }: Caller): AppError {
  const message = `token "${name}" is restricted to namespace ""`
  return new AppError('permission_denied', 'namespace_restricted', message)
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
