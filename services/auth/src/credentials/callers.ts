import type { Queryable } from '@svc/database'
import { Method } from '@svc/proto/auth/v1/authentications'
import type { Identity } from '@svc/proto/auth/v1/identities'
import type { CallContext } from '@svc/rpc'
import { AppError } from '@svc/runtime'
import type { AuthSettings } from '../methods/settings.ts'
import type { Authenticate } from './lookup/authenticate.ts'
import { hasAuthentications } from './records/authentications.store.ts'
import { restricted } from './records/refusals.ts'

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
   * The same for managing the tokens of all, which workloads may only where the settings say so.
   *
   * @throws {AppError} as `identify` does
   */
  manager(call: Call): Promise<Identity>
  /**
   * The same, but lets everyone in while no token exists and none is required: how else would the
   * first one come about?
   *
   * @returns nothing for those
   */
  admit(call: Call): Promise<Identity | undefined>
}

export interface CallersParts {
  readonly db: Queryable
  readonly authenticate: Authenticate
  readonly settings: Pick<AuthSettings['authentication'], 'methods' | 'required'>
}

export function callers({ db, authenticate, settings }: CallersParts): Callers {
  const self = (call: Call) => authenticate(bearerToken(call) ?? '')
  const identify = async (call: Call) => {
    const caller = await self(call)
    if (caller.namespaceKey !== '') throw restricted(caller)
    return caller
  }
  const manager = async (call: Call) => {
    const caller = await identify(call)
    const workload = ofWorkloads.get(caller.authentication?.method ?? Method.METHOD_NONE)
    if (workload !== undefined && !settings.methods[workload].tokenManagement) {
      throw unprivileged(workload)
    }
    return caller
  }
  return {
    self,
    identify,
    manager,
    async admit(call) {
      const isAnonymous = call.get('authorization') === undefined
      if (isAnonymous && !settings.required && !(await hasAuthentications(db))) return undefined
      return manager(call)
    },
  }
}

/** Their credentials end by themselves; whoever got hold of one must not make others of it. */
const ofWorkloads: ReadonlyMap<Method, 'jwt' | 'orchestrator'> = new Map([
  [Method.METHOD_JWT, 'jwt'],
  [Method.METHOD_ORCHESTRATOR, 'orchestrator'],
])

function unprivileged(method: string): AppError {
  const message = `tokens cannot be managed with a credential of the method ${method}`
  return new AppError('permission_denied', 'method_restricted', message)
}

/**
 * The credential that comes with a call. RFC 9110 11.4: the name of the scheme is the same in any case.
 */
export function bearerToken(call: Call): string | undefined {
  const [, token] = /^bearer ([^ ]+)$/i.exec(call.get('authorization') ?? '') ?? []
  return token
}
