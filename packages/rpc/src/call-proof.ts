import { hash, randomBytes } from 'node:crypto'
import { isSameMac, macOf } from '@svc/access'

/** The metadata in which a call carries its proof. */
export const proofKey = 'svc-internal'

/**
 * How far the clocks of two machines may be apart, in seconds, and how long a proof is good: a call
 * that waits for a connection, or is sent again, takes a few.
 */
const windowS = 30

/**
 * How many calls a process remembers, so that none of them is accepted twice: more than one process
 * answers in twice the window. Some 40 MB.
 */
const maxRemembered = 400_000

/** `v1`, seconds, 16 random bytes, HMAC-SHA-256. */
const form = /^(v1\.(\d{1,12})\.([A-Za-z0-9_-]{22}))\.([A-Za-z0-9_-]{43})$/

/** What is wrong with a proof. */
export type Fault =
  | 'missing'
  | 'malformed'
  | 'old'
  | 'clock set back'
  | 'wrong'
  | 'replayed'
  | 'too many calls'

/**
 * Proves that a call was made by somebody who knows the secret, now, and that it is this very call.
 *
 * @param path of the method
 * @param digest of the request, as {@link digestOf} makes it
 */
export function proveCall(secret: string, path: string, digest: string, nowMs: number): string {
  const head = `v1.${Math.floor(nowMs / 1000)}.${randomBytes(16).toString('base64url')}`
  return `${head}.${macOf(secret, signedText(head, path, digest))}`
}

export function digestOf(request: Uint8Array): string {
  return hash('sha256', request, 'base64url')
}

/** Accepts each proof once. */
export class CallProofs {
  readonly #secrets: readonly string[]
  readonly #nowMs: () => number
  readonly #maxRemembered: number
  /** By the second that they name, in which a copy of them would be, too. */
  readonly #seen = new Map<number, Set<string>>()
  /** The latest second that is no longer there. */
  #forgotten = Number.NEGATIVE_INFINITY
  #remembered = 0

  /** @param secrets any of which is accepted, so that it can be replaced */
  constructor(
    secrets: readonly string[],
    nowMs: () => number = Date.now,
    limit: number = maxRemembered,
  ) {
    this.#secrets = secrets
    this.#nowMs = nowMs
    this.#maxRemembered = limit
  }

  /** @returns what is wrong with the proof of a call; nothing when it is accepted */
  findFault(proof: string | undefined, path: string, request: Uint8Array): Fault | undefined {
    if (proof === undefined) return 'missing'
    const [, head = '', seconds = '', nonce = '', mac = ''] = form.exec(proof) ?? []
    if (head === '') return 'malformed'
    const second = Number(seconds)
    const now = Math.floor(this.#nowMs() / 1000)
    if (Math.abs(now - second) > windowS) return 'old'
    // What was accepted then is not known any more.
    if (second <= this.#forgotten) return 'clock set back'
    const signed = signedText(head, path, digestOf(request))
    const isOurs = this.#secrets.some((secret) => isSameMac(macOf(secret, signed), mac))
    return isOurs ? this.#remember(second, nonce, now) : 'wrong'
  }

  /**
   * A fault in words for the logs of both services. The caller may read them: they tell which setting
   * differs, and of no value but the time.
   *
   * @param proof that has the fault
   */
  describe(fault: Fault, proof: string | undefined): string {
    switch (fault) {
      case 'missing':
        return 'no internal.secret is set at the caller'
      case 'malformed':
        return 'the proof of the call is malformed; the versions of the services may differ'
      case 'old': {
        const second = Number(form.exec(proof ?? '')?.[2])
        const apartS = Math.abs(Math.floor(this.#nowMs() / 1000) - second)
        return `the clocks differ by ${apartS} s, and ${windowS} s are allowed`
      }
      case 'clock set back':
        return 'the clock of the called service was set back'
      case 'wrong':
        return 'internal.secret differs'
      case 'replayed':
        return 'the call was replayed'
      case 'too many calls':
        return 'the called service has accepted too many calls within a minute'
    }
  }

  /** Only what was proved gets here: others cannot fill the memory. */
  #remember(second: number, nonce: string, now: number): Fault | undefined {
    for (const [past, nonces] of this.#seen) {
      if (past >= now - windowS) continue
      this.#seen.delete(past)
      this.#forgotten = Math.max(this.#forgotten, past)
      this.#remembered -= nonces.size
    }
    const nonces = this.#seen.get(second) ?? new Set()
    if (nonces.has(nonce)) return 'replayed'
    if (this.#remembered >= this.#maxRemembered) return 'too many calls'
    this.#seen.set(second, nonces.add(nonce))
    this.#remembered += 1
    return undefined
  }
}

function signedText(head: string, path: string, digest: string): string {
  return `${head}\n${path}\n${digest}`
}
