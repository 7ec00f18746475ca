import { hash } from 'node:crypto'
import { isSameMac, macOf } from './mac.ts'

/** The metadata in which a call carries the assertion of who makes it. */
export const assertionKey = 'svc-assertion'

/** Who is calling, as the auth service knows it. */
export interface Caller {
  /** Of the record of the credential; empty where there is none. */
  readonly tokenId: string
  /** How the credential came to be; `anonymous` where none is needed. */
  readonly method: string
  /** What the credential is called in messages. */
  readonly name: string
  /** The only namespace that the caller may act in; `null` when there is no such bound. */
  readonly namespaceKey: string | null
}

/** As it is sent. Instants are milliseconds since 1970, for five seconds are a short time. */
interface Payload {
  readonly v: 1
  readonly kid: string
  readonly aud: typeof audience
  readonly tid: string
  readonly method: string
  readonly sub: string
  readonly ns: string | null
  readonly iat: number
  readonly exp: number
}

/** The one service that acts on what others say about a caller. */
const audience = 'resource'

/** The longest that anything may be done on an assertion; whoever reads it may want a younger one. */
const lifetimeMs = 150_000

/** How far two services may be apart about the time. */
const clockToleranceMs = 1000

/** Names of credentials are a few hundred characters at most. */
const maxLength = 8192

/** What is wrong with an assertion: for the log, and not for the caller. */
export type AssertionFault =
  | 'missing'
  | 'malformed'
  | 'unknown key'
  | 'forged'
  | 'other audience'
  | 'old'

/** Says who is calling, to those who share the key. Whoever passes it on can change nothing in it. */
export function assertCaller(caller: Caller, key: string, nowMs: number): string {
  const { tokenId, method, name, namespaceKey } = caller
  const iat = Math.round(nowMs)
  const payload: Payload = {
    v: 1,
    kid: keyIdOf(key),
    aud: audience,
    tid: tokenId,
    method,
    sub: name,
    ns: namespaceKey,
    iat,
    exp: iat + lifetimeMs,
  }
  const text = Buffer.from(JSON.stringify(payload)).toString('base64url')
  return `${text}.${macOf(key, text)}`
}

/**
 * @param keys any of which is accepted, so that it can be replaced
 * @param maxAgeMs how long ago it may have been made
 */
export function readAssertion(
  assertion: string | undefined,
  keys: readonly string[],
  nowMs: number,
  maxAgeMs: number,
): Caller | AssertionFault {
  if (assertion === undefined || assertion === '') return 'missing'
  const [, text = '', mac = ''] = /^([A-Za-z0-9_-]+)\.([A-Za-z0-9_-]{43})$/.exec(assertion) ?? []
  if (text === '' || assertion.length > maxLength) return 'malformed'
  const payload = parse(text)
  if (payload === undefined) return 'malformed'
  const key = keys.find((candidate) => keyIdOf(candidate) === payload.kid)
  if (key === undefined) return 'unknown key'
  if (!isSameMac(macOf(key, text), mac)) return 'forged'
  const { aud, tid, method, sub, ns, iat, exp } = payload
  if (aud !== audience) return 'other audience'
  const ageMs = nowMs - iat
  const isTimely = ageMs >= -clockToleranceMs && ageMs <= maxAgeMs + clockToleranceMs && nowMs < exp
  return isTimely ? { tokenId: tid, method, name: sub, namespaceKey: ns } : 'old'
}

/** Names a key without telling it. */
function keyIdOf(key: string): string {
  return hash('sha256', `svc-assertion:${key}`, 'base64url').slice(0, 8)
}

function parse(text: string): Payload | undefined {
  try {
    const payload: unknown = JSON.parse(Buffer.from(text, 'base64url').toString())
    return isPayload(payload) ? payload : undefined
  } catch {
    return undefined
  }
}

function isPayload(payload: unknown): payload is Payload {
  if (typeof payload !== 'object' || payload === null) return false
  const { v, kid, aud, tid, method, sub, ns, iat, exp } = payload as Partial<
    Record<string, unknown>
  >
  return (
    v === 1 &&
    [kid, aud, tid, method, sub].every((value) => typeof value === 'string') &&
    (ns === null || typeof ns === 'string') &&
    [iat, exp].every((value) => Number.isSafeInteger(value))
  )
}
