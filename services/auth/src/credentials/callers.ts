import { isIP } from 'node:net'
import { authorize } from '@svc/access'
import type { CallContext } from '@svc/rpc'
import { AppError } from '@svc/runtime'
import { anonymousActor, type Origin } from '../events/event.ts'
import type { ServiceContext } from './context.ts'
import { actorOf, type NamedHolder } from './lookup/actor.ts'
import {
  type AuthenticationRow,
  findAuthentication,
  type Holder,
  hasAuthentications,
} from './records/authentications.store.ts'
import { unauthenticated } from './records/refusals.ts'

// Who may manage tokens. Decided from the credential that comes with the call: what another service
// asserts about the caller does not count here.

export type Call = Pick<CallContext, 'get'>

/** Who calls, and from where, for the log of events. @param caller nothing for an anonymous one */
export function originOf(call: Call, caller: NamedHolder | undefined): Origin {
  const actor = caller === undefined ? anonymousActor : actorOf(caller)
  return { actor, address: addressOf(call) }
}

/** The client's address, as the gateway says; empty when it is not known. */
export function addressOf(call: Call): string {
  const address = call.get('svc-client-address') ?? ''
  return isIP(address) === 0 ? '' : address
}

/**
 * For what concerns the caller alone.
 *
 * @throws {AppError} `unauthenticated`
 */
export function authenticateCaller({ authenticate }: ServiceContext, call: Call) {
  return authenticate(bearerToken(call) ?? '')
}

const everywhere = { scope: { case: 'global' } } as const

/** @throws {AppError} `unauthenticated`; `permission_denied` for a token bound to a namespace */
export async function requireGlobal(context: ServiceContext, call: Call): Promise<Holder> {
  const caller = await authenticateCaller(context, call)
  authorize(everywhere, caller, [])
  return caller
}

/**
 * For managing the tokens and sessions of all. A method whose credentials end by themselves can be
 * kept from it, so that a stolen one cannot make others.
 *
 * @throws {AppError} as {@link requireGlobal} does
 */
export async function requireTokenManager(context: ServiceContext, call: Call): Promise<Holder> {
  const caller = await requireGlobal(context, call)
  const hooks = context.hooks.get(caller.authentication.method)
  if (hooks?.managesTokens === false) {
    const message = `tokens cannot be managed with a credential of the method ${hooks.section}`
    throw new AppError('permission_denied', 'method_restricted', message)
  }
  return caller
}

/**
 * The same, but anonymous callers are let in while no token exists and no credential is required: the
 * first token has to come from somewhere.
 *
 * @returns `undefined` for an anonymous caller
 */
export async function requireTokenManagerUnlessFirst(
  context: ServiceContext,
  call: Call,
): Promise<Holder | undefined> {
  const isAnonymous = call.get('authorization') === undefined
  const isRequired = context.settings.authentication.required
  if (isAnonymous && !isRequired && !(await hasAuthentications(context.db))) return undefined
  return requireTokenManager(context, call)
}

/** The credential that comes with a call. RFC 9110 11.4: the scheme's name is case-insensitive. */
export function bearerToken(call: Call): string | undefined {
  const [, token] = /^bearer ([^ ]+)$/i.exec(call.get('authorization') ?? '') ?? []
  return token
}

/**
 * @returns `undefined` for a caller without a record, such as the holder of a JWT
 * @throws {AppError} `unauthenticated` when the record was deleted since the credential was looked up
 */
export async function findOwnRecord(
  db: ServiceContext['db'],
  { authentication }: Holder,
): Promise<AuthenticationRow | undefined> {
  if (authentication.id === '') return undefined
  const row = await findAuthentication(db, authentication.id)
  if (row === undefined) throw unauthenticated()
  return row
}
