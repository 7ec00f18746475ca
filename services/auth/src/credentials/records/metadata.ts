/** Prefix of the keys that this service sets; callers cannot. */
export const reservedPrefix = 'io.svc.auth.'

export const tokenKeys = {
  name: 'io.svc.auth.token.name',
  description: 'io.svc.auth.token.description',
  namespace: 'io.svc.auth.token.namespace',
} as const

export interface TokenFacts {
  readonly name: string
  readonly description: string
  readonly namespaceKey: string
}

/** The metadata of a static token: what the caller gave, and what this service adds. */
export function tokenMetadata(
  { name, description, namespaceKey }: TokenFacts,
  given: Readonly<Record<string, string>> = {},
): Record<string, string> {
  return {
    ...given,
    [tokenKeys.name]: name,
    ...(description !== '' && { [tokenKeys.description]: description }),
    ...(namespaceKey !== '' && { [tokenKeys.namespace]: namespaceKey }),
  }
}
