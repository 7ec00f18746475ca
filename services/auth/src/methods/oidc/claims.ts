import { presentMetadata } from '../login/logins.store.ts'

/** Claims as a provider sent them. Their values are unchecked. */
export type Claims = Readonly<Record<string, unknown>>

/** RFC 5321 4.5.3.1.3, without the brackets around it. */
const maxEmailLength = 254
const maxTextLength = 1024
/** Maximum size of kept claims: they travel with each lookup and stay in caches. */
const maxKeptBytes = 4096

/** @param kept names of claims to keep besides those of name and e-mail */
export function toMetadata(
  provider: string,
  claims: Claims,
  kept: readonly string[],
): Record<string, string> {
  const email = textOf(claims, 'email', maxEmailLength)
  const name = textOf(claims, 'name')
  const picture = textOf(claims, 'picture')
  return presentMetadata({
    'io.svc.auth.oidc.provider': provider,
    'io.svc.auth.oidc.sub': textOf(claims, 'sub'),
    'io.svc.auth.oidc.email': email,
    'io.svc.auth.oidc.email_verified': verifiedOf(claims),
    'io.svc.auth.oidc.name': name,
    'io.svc.auth.oidc.profile': textOf(claims, 'profile'),
    'io.svc.auth.oidc.picture': picture,
    'io.svc.auth.email': email,
    'io.svc.auth.name': name,
    'io.svc.auth.picture': picture,
    'io.svc.auth.claims': keptClaims(claims, kept),
  })
}

/** A claim that is a text of at most `maxLength`; `undefined` for any other. */
export function textOf(claims: Claims, name: string, maxLength = maxTextLength) {
  const value = ownClaim(claims, name)
  const isUsable = typeof value === 'string' && value.length <= maxLength && isStorable(value)
  return isUsable ? value : undefined
}

/** Only the boolean counts: a text such as "false" is truthy. */
function verifiedOf(claims: Claims): string | undefined {
  const value = ownClaim(claims, 'email_verified')
  return value === undefined ? undefined : String(value === true)
}

function keptClaims(claims: Claims, kept: readonly string[]): string | undefined {
  const entries = kept
    .map((name) => [name, ownClaim(claims, name)] as const)
    .filter(([, value]) => value !== undefined)
  if (entries.length === 0) return undefined
  const text = JSON.stringify(Object.fromEntries(entries))
  return text.length <= maxKeptBytes && isStorable(text) ? text : undefined
}

/** By its exact name, never an inherited member. */
function ownClaim(claims: Claims, name: string): unknown {
  return Object.hasOwn(claims, name) ? claims[name] : undefined
}

/** PostgreSQL stores neither U+0000 nor lone surrogates. */
function isStorable(text: string): boolean {
  return !text.includes('\0') && text.isWellFormed()
}
