import type { MethodId, MethodSection, MethodSwitch } from '@svc/config'
import type { Method } from '@svc/proto/auth/v1/authentications'
import type { MethodDescription } from '@svc/proto/auth/v1/methods'
import type { RpcServer } from '@svc/rpc'
import type { ServiceContext } from '../credentials/context.ts'
import type { MethodHooks } from '../credentials/lookup/method-hooks.ts'

/**
 * An authentication method. A new one is a value of `Method`, a folder with one of these, and a line in
 * `methods.ts`.
 */
export interface AuthMethod<Section extends MethodId = MethodId, Own = MethodSwitch> {
  readonly id: Method
  /** Its key in the settings, below `authentication.methods`. */
  readonly section: Section
  readonly settings: MethodSection<Own>
  /** Whether people log in with a browser. Its sessions are refused once the method is disabled. */
  readonly isInteractive: boolean
  /** Whether its callers may manage tokens, where no setting `tokenManagement` of its own decides. */
  readonly managesTokens?: true
  /** See {@link MethodHooks.nameOf}; also called while the method is disabled. */
  readonly nameOf?: MethodHooks['nameOf']
  /** See {@link MethodHooks.subjectOf}. */
  readonly subjectOf?: MethodHooks['subjectOf']
  /** What a login page needs to know, enabled or not. Public. */
  describe?(settings: Own): MethodDescription['metadata']
  /** Opens the method, which is enabled. */
  open(settings: Own, context: ServiceContext): OpenMethod | Promise<OpenMethod>
}

/** A method that is enabled. */
export interface OpenMethod
  extends Pick<
    MethodHooks,
    'isAllowed' | 'keepSecret' | 'onUse' | 'prepareSignOut' | 'secretOf' | 'verify'
  > {
  /** Adds the handlers of its service. */
  readonly serve?: (server: RpcServer) => void
  readonly close?: () => Promise<void>
  /** Sent to the parent process once the service is ready. */
  readonly report?: Readonly<Record<string, unknown>>
}
