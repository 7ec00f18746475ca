import type { MethodDescription } from '@svc/client/api'

/** Methods that people and programs get in by; others are not in use. */
const kinds = [
  'METHOD_TOKEN',
  'METHOD_OIDC',
  'METHOD_CODEHOST',
  'METHOD_ORCHESTRATOR',
  'METHOD_JWT',
] as const
export type Kind = (typeof kinds)[number]

export interface WayIn {
  readonly kind: Kind
  /** Of the provider; empty where there is but one of the kind. */
  readonly name: string
  readonly isOn: boolean
  /** What has to be registered at the provider. */
  readonly callbackUrl: string | undefined
}

/** @param url where the service is */
export function waysIn(methods: readonly MethodDescription[], url: string): readonly WayIn[] {
  return methods.flatMap(({ method, enabled, metadata }) => {
    const kind = kinds.find((one) => one === method)
    if (kind === undefined) return []
    const way = (name: string, source: unknown): WayIn => {
      const path = enabled ? textOf(source, 'callback_url') : ''
      return { kind, name, isOn: enabled, callbackUrl: path === '' ? undefined : url + path }
    }
    const providers = Object.entries(membersOf(metadata?.providers))
    if (kind !== 'METHOD_OIDC' || !enabled || providers.length === 0) return [way('', metadata)]
    return providers.map(([key, provider]) =>
      way(textOf(provider, 'display_name') || key, provider),
    )
  })
}

function membersOf(value: unknown): object {
  return typeof value === 'object' && value !== null ? value : {}
}

function textOf(source: unknown, name: string): string {
  const value: unknown = Reflect.get(membersOf(source), name)
  return typeof value === 'string' ? value : ''
}
