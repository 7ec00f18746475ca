import { Method } from '@svc/proto/auth/v1/authentications'
import { Identity } from '@svc/proto/auth/v1/identities'
import { hashToken } from '../../credentials/records/token.ts'
import type { Members } from './compact.ts'
import type { ProvenJwt } from './issuer.ts'
import { refused } from './refusals.ts'
import type { IssuerSettings } from './settings.ts'

const prefix = 'io.svc.auth.'

/** The prefix that existing issuers use. */
const formerPrefix = 'io.flipt.auth.'

/** The members of the claim `user` that are kept, by their new names. */
const userKeys = new Map([
  ['email', 'email'],
  ['sub', 'sub'],
  ['image', 'picture'],
  ['name', 'name'],
  ['role', 'role'],
])

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
  return Identity.fromPartial({
    authentication: { method: Method.METHOD_JWT, metadata: toMetadata(proven, settings.claims) },
    namespaceKey: toNamespaceKey(proven.claims, settings.namespaceClaim),
    name: proven.subject,
    tokenHash: Buffer.from(hashToken(jwt), 'base64url'),
    expiresInMs: Math.floor(proven.refusedFromMs - nowMs),
  })
}

function toNamespaceKey(claims: Members, claim: string | undefined): string {
  if (claim === undefined) return ''
  const value = claims.get(claim)
  if (typeof value !== 'string' || !/^[-_,A-Za-z0-9]{1,255}$/.test(value)) {
    throw refused('wrong_namespace')
  }
  return value
}

function toMetadata(
  { issuer, subject, claims }: ProvenJwt,
  kept: readonly string[],
): Record<string, string> {
  const chosen = kept.flatMap((name) => {
    const value = claims.get(name)
    return value === undefined || value === null ? [] : [[toKey(name), toText(value)] as const]
  })
  const user = claims.get('user')
  const members = typeof user === 'object' && user !== null ? Object.entries(user) : []
  const ofUser = members.flatMap(([name, value]: [string, unknown]) => {
    const key = userKeys.get(name)
    return key === undefined || typeof value !== 'string' ? [] : [[toKey(key), value] as const]
  })
  return Object.fromEntries([
    ...chosen,
    [toKey('sub'), subject],
    ...ofUser,
    [toKey('issuer'), issuer],
  ])
}

function toKey(claim: string): string {
  if (claim.startsWith(prefix)) return claim
  if (claim.startsWith(formerPrefix)) return prefix + claim.slice(formerPrefix.length)
  return `${prefix}jwt.${claim}`
}

function toText(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value)
}
