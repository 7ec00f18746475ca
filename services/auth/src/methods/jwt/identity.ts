import { isKey } from '@svc/contract'
import { Method } from '@svc/proto/auth/v1/authentications'
import { Identity } from '@svc/proto/auth/v1/identities'
import { hashSubject } from '../../credentials/records/principal.ts'
import { hashToken } from '../../credentials/records/token.ts'
import { type Members, refused } from './compact.ts'
import type { ProvenJwt } from './issuer.ts'
import type { IssuerSettings } from './settings.ts'

const prefix = 'io.svc.auth.'

/** The prefix that existing issuers use. */
const formerPrefix = 'io.flipt.auth.'

/** The members of the claim `user` that are kept, by their new names. */
const userKeys = { email: 'email', sub: 'sub', image: 'picture', name: 'name', role: 'role' }

/**
 * The identity of a token. It has no record, and so neither id nor times. Only the claim that the
 * settings name restricts it to a namespace; no claim widens its rights.
 *
 * @throws {AppError} `unauthenticated` when it has to name a namespace and does not
 */
export function toIdentity(
  jwt: string,
  proven: ProvenJwt,
  settings: IssuerSettings,
  nowMs: number,
): Identity {
  const method = Method.METHOD_JWT
  return Identity.fromPartial({
    authentication: { method, metadata: toMetadata(proven, settings.claims) },
    namespaceKey: toNamespaceKey(proven.claims, settings.namespaceClaim),
    name: proven.subject,
    // Not of the metadata: the claim `user` may name another subject there.
    principal: hashSubject(method, [proven.issuer, proven.subject]),
    tokenHash: Buffer.from(hashToken(jwt), 'base64url'),
    expiresInMs: Math.floor(proven.validUntilMs - nowMs),
  })
}

function toNamespaceKey(claims: Members, claim: string | undefined): string {
  if (claim === undefined) return ''
  const value = claims.get(claim)
  if (typeof value !== 'string' || !isKey(value)) throw refused('wrong_namespace')
  return value
}

function toMetadata(
  { issuer, subject, claims }: ProvenJwt,
  kept: readonly string[],
): Record<string, string> {
  const metadata: Record<string, string> = {}
  for (const name of kept) {
    const value = claims.get(name) ?? undefined
    const text = typeof value === 'string' ? value : JSON.stringify(value)
    if (value !== undefined) metadata[toKey(name)] = text
  }
  metadata[toKey('sub')] = subject
  const user = new Map(Object.entries<unknown>(Object(claims.get('user'))))
  for (const [name, key] of Object.entries(userKeys)) {
    const value = user.get(name)
    if (typeof value === 'string') metadata[toKey(key)] = value
  }
  metadata[toKey('issuer')] = issuer
  return metadata
}

function toKey(claim: string): string {
  if (claim.startsWith(prefix)) return claim
  if (claim.startsWith(formerPrefix)) return prefix + claim.slice(formerPrefix.length)
  return `${prefix}jwt.${claim}`
}
