import { hash } from 'node:crypto'
import { isSameMac, macOf } from './mac.ts'

/** Metadata of the caller assertion. */
export const assertionKey = 'svc-assertion'

/** The caller of an operation, as the auth service knows it. */
export interface Caller {
  /** Id of the credential's record; empty for a caller without one. */
  readonly tokenId: string
  /**
   * Who it is: of a static token its id, of people and workloads the same at each login. Empty for a
   * caller without a credential.
   */
  readonly principal: string
  /** Auth method of the credential; `anonymous` without one. */
  readonly method: string
  /** Name of the credential in messages. */
  readonly name: string
  /** The only namespace that the caller may act in; `null` for all. */
  readonly namespaceKey: string | null
}

/** The form on the wire. Times are in milliseconds since 1970. */
interface Payload {
  readonly v: 1
  readonly kid: string
  readonly aud: typeof audience
  readonly tid: string
  /** Principal; left out by releases that do not know it. */
  readonly pid?: string
  readonly method: string
  readonly sub: string
  readonly ns: string | null
  readonly iat: number
  readonly exp: number
}

/** The one service that accepts assertions. */
const audience = 'resource'

/** Maximum lifetime, in milliseconds. The service that reads it may require a younger one. */
const lifetimeMs = 150_000

/** Maximum clock skew between two services, in milliseconds. */
const clockToleranceMs = 1000

/** Maximum length of an assertion: names of credentials have a few hundred characters. */
const maxLength = 8192

/** Why an assertion is refused: for the log, not for the caller. */
export type AssertionFault =
  | 'missing'
  | 'malformed'
  | 'unknown key'
  | 'forged'
  | 'other audience'
  | 'old'

/** Signs who is calling, for services with the key. The gateway in between cannot change it. */
export function assertCaller(caller: Caller, key: string, nowMs: number): string {
  const { tokenId, principal, method, name, namespaceKey } = caller
  const iat = Math.round(nowMs)
  const payload: Payload = {
    v: 1,
    kid: keyIdOf(key),
    aud: audience,
    tid: tokenId,
    pid: principal,
    method,
    sub: name,
    ns: namespaceKey,
    iat,
    exp: iat + lifetimeMs,
  }
  const text = Buffer.from(JSON.stringify(payload)).toString('base64url')
  return `${text}.${macOf(key, text)}`
}

/** Maximum number of assertions that are remembered: gateways use one for each of their callers. */
const maxRemembered = 1000

/** Reads assertions. The MAC of each is checked once, its age each time. */
export class AssertionReader {
  readonly #keys: ReadonlyMap<string, string>
  readonly #maxAgeMs: number
  /** Payloads of the assertions whose MAC was right, the oldest first. */
  readonly #authentic = new Map<string, Payload>()

  /**
   * @param keys current and previous: any of them is accepted
   * @param maxAgeMs maximum age
   */
  constructor(keys: readonly string[], maxAgeMs: number) {
    this.#keys = new Map(keys.map((key) => [keyIdOf(key), key]))
    this.#maxAgeMs = maxAgeMs
  }

  read(assertion: string | undefined, nowMs: number): Caller | AssertionFault {
    if (assertion === undefined || assertion === '') return 'missing'
    const payload = this.#authentic.get(assertion) ?? this.#authenticate(assertion)
    if (typeof payload === 'string') return payload
    const { tid, pid = tid, method, sub, ns, iat, exp } = payload
    const ageMs = nowMs - iat
    const isTimely =
      ageMs >= -clockToleranceMs && ageMs <= this.#maxAgeMs + clockToleranceMs && nowMs < exp
    if (!isTimely) return 'old'
    return { tokenId: tid, principal: pid, method, name: sub, namespaceKey: ns }
  }

  #authenticate(assertion: string): Payload | AssertionFault {
    const [, text = '', mac = ''] = /^([A-Za-z0-9_-]+)\.([A-Za-z0-9_-]{43})$/.exec(assertion) ?? []
    if (text === '' || assertion.length > maxLength) return 'malformed'
    const payload = parse(text)
    if (payload === undefined) return 'malformed'
    const key = this.#keys.get(payload.kid)
    if (key === undefined) return 'unknown key'
    if (!isSameMac(macOf(key, text), mac)) return 'forged'
    if (payload.aud !== audience) return 'other audience'
    this.#authentic.set(assertion, payload)
    const [oldest] = this.#authentic.keys()
    if (this.#authentic.size > maxRemembered && oldest !== undefined) {
      this.#authentic.delete(oldest)
    }
    return payload
  }
}

/** Id of a key that does not reveal it. */
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
  const {
    v,
    kid,
    aud,
    tid,
    pid = '',
    method,
    sub,
    ns,
    iat,
    exp,
  } = payload as Partial<Record<string, unknown>>
  return (
    v === 1 &&
    [kid, aud, tid, pid, method, sub].every((value) => typeof value === 'string') &&
    (ns === null || typeof ns === 'string') &&
    [iat, exp].every((value) => Number.isSafeInteger(value))
  )
}
