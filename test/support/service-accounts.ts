import { generateKeyPairSync, randomUUID, sign, verify } from 'node:crypto'

export interface TokenOptions {
  /** For whom it is made; for the API server when left out. */
  readonly audiences?: readonly string[]
  /** How long it is good for, which may be in the past. */
  readonly seconds?: number
  /** The pod that it is bound to. */
  readonly pod?: { readonly name: string; readonly uid: string }
}

interface User {
  readonly username: string
  readonly uid: string
  readonly groups: readonly string[]
  readonly extra?: Readonly<Record<string, readonly string[]>>
}

/** The status of a TokenReview. */
export type Review =
  | { readonly authenticated: true; readonly user: User; readonly audiences: readonly string[] }
  | { readonly authenticated?: never; readonly user: object; readonly error: string }

interface Claims {
  readonly iss: string
  readonly aud: readonly string[]
  readonly exp: number
  readonly sub: string
  readonly uid: string
  readonly pod: TokenOptions['pod']
}

const issuer = 'https://kubernetes.default.svc'

/** How long a cluster still vouches for an account that it has vouched for. */
const rememberedMs = 10_000

/** The service accounts of a cluster, and what it says of their tokens. */
export class ServiceAccounts {
  readonly #apiAudience: string
  readonly #keys = generateKeyPairSync('rsa', { modulusLength: 2048 })
  readonly #uids = new Map<string, string>()
  readonly #remembered = new Map<string, { review: Review; untilMs: number }>()

  constructor(apiAudience: string) {
    this.#apiAudience = apiAudience
  }

  tokenOf(account: string, options: TokenOptions = {}): string {
    const { audiences = [this.#apiAudience], seconds = 600, pod } = options
    const uid = this.#uids.get(account) ?? randomUUID()
    this.#uids.set(account, uid)
    const [namespace, name] = account.split(':')
    const now = Math.floor(Date.now() / 1000)
    const claims = {
      aud: audiences,
      exp: now + seconds,
      iat: now,
      iss: issuer,
      nbf: now,
      sub: `system:serviceaccount:${account}`,
      'kubernetes.io': { namespace, serviceaccount: { name, uid }, ...(pod && { pod }) },
    }
    const head = `${encode({ alg: 'RS256', kid: 'cluster' })}.${encode(claims)}`
    const signature = sign('RSA-SHA256', Buffer.from(head), this.#keys.privateKey)
    return `${head}.${signature.toString('base64url')}`
  }

  delete(account: string): void {
    this.#uids.delete(account)
  }

  /** @param audiences for which of them the token may be made; for the API server when empty */
  review(token: string, audiences: readonly string[]): Review {
    const wanted = audiences.length > 0 ? audiences : [this.#apiAudience]
    const key = JSON.stringify([token, wanted])
    const known = this.#remembered.get(key)
    if (known !== undefined && known.untilMs > Date.now()) return known.review
    const review = this.#review(token, wanted)
    if (review.authenticated) {
      this.#remembered.set(key, { review, untilMs: Date.now() + rememberedMs })
    }
    return review
  }

  #review(token: string, wanted: readonly string[]): Review {
    const claims = readClaims(token)
    if (claims?.iss !== issuer) return refusal()
    const { aud, exp, sub, uid, pod } = claims
    if (!this.#isSigned(token)) return refusal('square/go-jose: error in cryptographic primitive')
    const audiences = wanted.filter((audience) => aud.includes(audience))
    if (audiences.length === 0) {
      const [theirs, ours] = [aud, wanted].map((list) => `["${list.join('" "')}"]`)
      return refusal(`token audiences ${theirs} is invalid for the target audiences ${ours}`)
    }
    if (exp * 1000 < Date.now()) return refusal('Token has expired')
    const [, , namespace = '', name = ''] = sub.split(':')
    const present = this.#uids.get(`${namespace}:${name}`)
    if (present === undefined) return refusal(`serviceaccounts "${name}" not found`)
    if (present !== uid) return refusal('Token has been invalidated')
    const groups = ['system:serviceaccounts', `system:serviceaccounts:${namespace}`]
    const user = { username: sub, uid, groups: [...groups, 'system:authenticated'] }
    return { authenticated: true, user: pod ? { ...user, extra: extraOf(pod) } : user, audiences }
  }

  #isSigned(token: string): boolean {
    const [header, payload, signature = ''] = token.split('.')
    const signed = Buffer.from(`${header}.${payload}`)
    return verify('RSA-SHA256', signed, this.#keys.publicKey, Buffer.from(signature, 'base64url'))
  }
}

function refusal(reason?: string): Review {
  const error = 'invalid bearer token'
  return { user: {}, error: reason === undefined ? error : `[${error}, ${reason}]` }
}

function extraOf({ name, uid }: { readonly name: string; readonly uid: string }) {
  return {
    'authentication.kubernetes.io/pod-name': [name],
    'authentication.kubernetes.io/pod-uid': [uid],
  }
}

function readClaims(token: string): Claims | undefined {
  try {
    const payload = Buffer.from(token.split('.')[1] ?? '', 'base64url').toString()
    const { 'kubernetes.io': bound, ...claims } = JSON.parse(payload)
    return { ...claims, uid: bound?.serviceaccount?.uid, pod: bound?.pod }
  } catch {
    return undefined
  }
}

function encode(value: object): string {
  return Buffer.from(JSON.stringify(value)).toString('base64url')
}
