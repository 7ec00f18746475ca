import type { Authentication, MethodDescription, Session } from '@svc/client/api'

/** Whether it still signs in. */
export function isOpen({ authentication: { expiresAt } }: Session, now: number): boolean {
  return expiresAt === undefined || Date.parse(expiresAt) > now
}

/** This browser, then the ones that were seen last. */
export function ownFirst(sessions: readonly Session[]): readonly Session[] {
  return sessions.toSorted(
    (one, other) => Number(other.current) - Number(one.current) || seenAt(other) - seenAt(one),
  )
}

/** When it was last used; one that was not used yet has been begun then. */
function seenAt({ authentication: { use, createdAt } }: Session): number {
  return Date.parse(use?.lastAt ?? createdAt)
}

/** Members of the metadata that a person is looked for by. */
const searched = /\.(?:name|email|sub|preferred_username)$/

/** @param text nothing: all of them */
export function search(sessions: readonly Session[], text: string | undefined): readonly Session[] {
  if (text === undefined) return sessions
  const wanted = text.toLowerCase()
  return sessions.filter(({ authentication: { metadata, use }, subject }) => {
    const names = Object.entries(metadata).filter(([name]) => searched.test(name))
    const texts = [...names.map(([, value]) => value), subject, use?.lastAddress ?? '']
    return texts.some((one) => one.toLowerCase().includes(wanted))
  })
}

export interface Way {
  readonly kind: 'oidc' | 'codehost' | 'token' | 'other'
  /** Of the provider or the token; empty when there is none. */
  readonly name: string
}

/** How the session began. */
export function wayOf(
  { method, metadata }: Pick<Authentication, 'method' | 'metadata'>,
  methods: readonly MethodDescription[],
): Way {
  if (method === 'METHOD_TOKEN')
    return { kind: 'token', name: metadata['io.svc.auth.token.name'] ?? '' }
  if (method === 'METHOD_CODEHOST') return { kind: 'codehost', name: '' }
  if (method !== 'METHOD_OIDC') return { kind: 'other', name: '' }
  const provider = metadata['io.svc.auth.oidc.provider'] ?? ''
  const known = methods.find((one) => one.method === 'METHOD_OIDC')?.metadata?.providers
  return { kind: 'oidc', name: displayNameOf(known, provider) || provider }
}

function displayNameOf(providers: unknown, name: string): string {
  const provider: unknown = isObject(providers) ? Reflect.get(providers, name) : undefined
  const text: unknown = isObject(provider) ? Reflect.get(provider, 'display_name') : undefined
  return typeof text === 'string' ? text : ''
}

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null
}
