/** What we note of a token ourselves begins with this; callers cannot set it. */
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

/** The metadata of a static token: what the caller gave, and what we note ourselves. */
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
