import type { MethodDescription } from '@svc/client/api'

/** One way to sign in at another site; the code host has no name. */
export interface Provider {
  readonly key: string
  readonly name: string | undefined
  /** A path of this service. */
  readonly authorizeUrl: string
}

interface Ways {
  readonly providers: readonly Provider[]
  readonly hasToken: boolean
}

/** What is enabled and works in a browser, in the order in which it is configured. */
export function providersOf(methods: readonly MethodDescription[]): Ways {
  const enabled = methods.filter(({ enabled, sessionCompatible }) => enabled && sessionCompatible)
  return {
    providers: enabled.flatMap(({ method, metadata = {} }) =>
      method === 'METHOD_OIDC'
        ? Object.entries(membersOf(metadata.providers)).flatMap(([key, provider]) =>
            toProvider(`oidc-${key}`, provider, textOf(provider, 'display_name') || key),
          )
        : toProvider(method, metadata, undefined),
    ),
    // A token by itself is no session; `POST /auth/v1/session` exchanges it for one.
    hasToken: methods.some(({ method, enabled }) => enabled && method === 'METHOD_TOKEN'),
  }
}

function toProvider(key: string, source: unknown, name: string | undefined): Provider[] {
  const authorizeUrl = textOf(source, 'authorize_url')
  return authorizeUrl === '' ? [] : [{ key, name, authorizeUrl }]
}

function membersOf(value: unknown): object {
  return typeof value === 'object' && value !== null ? value : {}
}

function textOf(source: unknown, name: string): string {
  const value: unknown = Reflect.get(membersOf(source), name)
  return typeof value === 'string' ? value : ''
}
