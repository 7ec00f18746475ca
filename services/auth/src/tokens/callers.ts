import type { Queryable } from '@svc/database'
import { Method } from '@svc/proto/auth/v1/authentications'
import type { Identity } from '@svc/proto/auth/v1/identities'
import { AppError, type CallContext } from '@svc/runtime'
import type { Authenticate } from '../identities/authenticate.ts'
import { restricted } from '../identities/refusals.ts'
import { hasAuthentications } from './authentications.store.ts'

type Call = Pick<CallContext, 'get'>

/**
 * Who may manage tokens. Decided from the credential that comes with the call, whoever passes it
 * on: what others say about the caller counts for nothing here.
 */
export interface Callers {
  /**
   * Whoever has a good credential: for what concerns nobody but them.
   *
   * @throws {AppError} `unauthenticated`
   */
  self(call: Call): Promise<Identity>
  /** @throws {AppError} `unauthenticated`; `permission_denied` for a token bound to a namespace */
  identify(call: Call): Promise<Identity>
  /**
   * The same for managing the tokens of all, which workloads may not. Lets everyone in while no token
   * exists and none is required: how else would the first one come about?
   *
   * @returns nothing for those
   */
  admit(call: Call): Promise<Identity | undefined>
}

export function callers(db: Queryable, authenticate: Authenticate, isRequired: boolean): Callers {
  const self = (call: Call) => authenticate(bearerToken(call) ?? '')
  const identify = async (call: Call) => {
    const caller = await self(call)
    if (caller.namespaceKey !== '') throw restricted(caller)
    return caller
  }
  return {
    self,
    identify,
    async admit(call) {
      const isAnonymous = call.get('authorization') === undefined
      if (isAnonymous && !isRequired && !(await hasAuthentications(db))) return undefined
      const caller = await identify(call)
      const workload = ofWorkloads.get(caller.authentication?.method ?? Method.METHOD_NONE)
      if (workload !== undefined) throw unprivileged(workload)
      return caller
    },
  }
}

/** Their credentials end by themselves; whoever got hold of one must not make others of it. */
const ofWorkloads: ReadonlyMap<Method, string> = new Map([
  [Method.METHOD_JWT, 'jwt'],
  [Method.METHOD_ORCHESTRATOR, 'orchestrator'],
])

function unprivileged(method: string): AppError {
  const message = `tokens cannot be managed with a credential of the method ${method}`
  return new AppError('permission_denied', 'method_restricted', message)
}

/** RFC 9110 11.4: the name of the scheme is the same in any case. */
function bearerToken(call: Call): string | undefined {
  const [, token] = /^bearer ([^ ]+)$/i.exec(call.get('authorization') ?? '') ?? []
  return token
}
