import { authorize } from '@svc/access'
import type { Identity } from '@svc/proto/auth/v1/identities'
import type { CallContext } from '@svc/rpc'
import { AppError } from '@svc/runtime'
import type { ServiceContext } from './context.ts'
import { hasAuthentications } from './records/authentications.store.ts'

// Who may manage tokens. Decided from the credential that comes with the call: what another service
// asserts about the caller does not count here.

type Call = Pick<CallContext, 'get'>

type Context = Pick<ServiceContext, 'authenticate' | 'db' | 'hooks' | 'settings'>

/**
 * For what concerns the caller alone.
 *
 * @throws {AppError} `unauthenticated`
 */
export function authenticateCaller(
  { authenticate }: Pick<Context, 'authenticate'>,
  call: Call,
): Promise<Identity> {
  return authenticate(bearerToken(call) ?? '')
}

const everywhere = { scope: { case: 'global' } } as const

/** @throws {AppError} `unauthenticated`; `permission_denied` for a token bound to a namespace */
export async function requireGlobal(
  context: Pick<Context, 'authenticate'>,
  call: Call,
): Promise<Identity> {
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
export async function requireTokenManager(context: Context, call: Call): Promise<Identity> {
  const caller = await requireGlobal(context, call)
  const { method } = caller.authentication ?? {}
  const hooks = method && context.hooks.get(method)
  if (hooks?.managesTokens === false) throw unprivileged(hooks.section)
  return caller
}

/**
 * The same, but anonymous callers are let in while no token exists and no credential is required: the
 * first token has to come from somewhere.
 *
 * @returns `undefined` for an anonymous caller
 */
export async function requireTokenManagerUnlessFirst(
  context: Context,
  call: Call,
): Promise<Identity | undefined> {
  const isAnonymous = call.get('authorization') === undefined
  const isRequired = context.settings.authentication.required
  if (isAnonymous && !isRequired && !(await hasAuthentications(context.db))) return undefined
  return requireTokenManager(context, call)
}

function unprivileged(method: string): AppError {
  const message = `tokens cannot be managed with a credential of the method ${method}`
  return new AppError('permission_denied', 'method_restricted', message)
}

/** The credential that comes with a call. RFC 9110 11.4: the scheme's name is case-insensitive. */
export function bearerToken(call: Call): string | undefined {
  const [, token] = /^bearer ([^ ]+)$/i.exec(call.get('authorization') ?? '') ?? []
  return token
}
