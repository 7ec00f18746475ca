import { AppError } from '@svc/runtime'

/** The part of an operation's access rule that decides who may call it: where the operation acts. */
export interface Scoped {
  readonly scope: {
    readonly case: 'namespace' | 'namespaceHeader' | 'global' | 'public' | 'internal' | 'self'
  }
}

/** A caller, as far as authorization needs to know it. */
export interface AuthorizedCaller {
  /** What the credential is called in messages. */
  readonly name: string
  /** The only namespace that the caller may act in; null or empty when there is no such bound. */
  readonly namespaceKey: string | null
}

/**
 * The one authorizer of all services: holds a caller against the access rule of an operation. A caller
 * that is bound to a namespace may do what acts in that namespace alone, and what acts on itself.
 *
 * @param namespaceKeys every namespace that the request is about, resolved
 * @throws {AppError} `permission_denied`, which names the restriction and not what lies beyond it
 */
export function authorize(
  { scope }: Scoped,
  { name, namespaceKey: own }: AuthorizedCaller,
  namespaceKeys: readonly string[],
): void {
  if (own === null || own === '' || scope.case === 'self') return
  const hasNamespace = scope.case === 'namespace' || scope.case === 'namespaceHeader'
  const isInside =
    hasNamespace && namespaceKeys.length > 0 && namespaceKeys.every((key) => key === own)
  if (isInside) return
  const message = `token "${name}" is restricted to namespace "${own}"`
  throw new AppError('permission_denied', 'namespace_restricted', message)
}
