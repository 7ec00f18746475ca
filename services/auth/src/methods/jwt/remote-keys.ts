import type { KeyObject } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Logger } from '@svc/runtime'
import { keysUnavailable } from './refusals.ts'
import { fittingKeys, type KeySource, type SigningKey, type WantedKey } from './signing-keys.ts'

/** How old keys may get while new ones can be fetched: an issuer that takes one back waits for it. */
const refreshMs = 600_000

/** After a fetch that succeeded, how long unknown keys do not bring about another. */
const pauseMs = 30_000

/** After one that failed, how long no other is made; doubled with each failure, up to a minute. */
const failurePauseMs = { first: 5000, longest: 60_000 }

/** How long a request waits for keys; gateways wait two seconds for an answer in all. */
const patienceMs = 1000

export interface RemoteKeysParts {
  /** Ends by itself in good time, with keys or an error. */
  readonly fetchKeys: () => Promise<readonly SigningKey[]>
  /** How long keys are used while new ones cannot be fetched, in milliseconds. */
  readonly maxStaleMs: number
  readonly log: Logger
  /** A clock that never goes back, in milliseconds. */
  readonly now?: () => number
}

/**
 * The keys that an issuer publishes, fetched now and then and whenever one is unknown. What a token
 * says only ever selects among them, and however many requests there are, the issuer is asked twice a
 * minute at most, or every five seconds while it fails.
 */
export class RemoteKeys implements KeySource {
  readonly #parts: RemoteKeysParts
  readonly #now: () => number
  #keys: readonly SigningKey[] = []
  #fetchedAt = Number.NEGATIVE_INFINITY
  #attemptedAt = Number.NEGATIVE_INFINITY
  #failures = 0
  #underWay: Promise<void> | undefined

  constructor(parts: RemoteKeysParts) {
    this.#parts = parts
    this.#now = parts.now ?? (() => performance.now())
  }

  async find(wanted: WantedKey): Promise<KeyObject | undefined> {
    if (this.#fitting(wanted).length === 0) await this.#askAgain()
    const [key, ...others] = this.#fitting(wanted)
    if (others.length > 0) return undefined
    if (key === undefined && !this.#isCurrent()) throw keysUnavailable()
    return key
  }

  /** Fetches the keys if it is time to; to be called again and again. */
  async keepFresh(): Promise<void> {
    await this.#fetchUnless(refreshMs)
  }

  #fitting(wanted: WantedKey): KeyObject[] {
    const ageMs = this.#now() - this.#fetchedAt
    return ageMs < refreshMs + this.#parts.maxStaleMs ? fittingKeys(this.#keys, wanted) : []
  }

  /** Whether what is not here does not exist. */
  #isCurrent(): boolean {
    return this.#failures === 0 && this.#underWay === undefined && this.#fetchedAt > -Infinity
  }

  async #askAgain(): Promise<void> {
    const leaving = new AbortController()
    const patience = sleep(patienceMs, undefined, { signal: leaving.signal }).catch(() => {})
    await Promise.race([this.#fetchUnless(pauseMs), patience])
    leaving.abort()
  }

  /** @param recentMs how long ago a fetch may have been that makes another one needless */
  #fetchUnless(recentMs: number): Promise<void> {
    if (this.#underWay !== undefined) return this.#underWay
    const { first, longest } = failurePauseMs
    const waitMs =
      this.#failures === 0 ? recentMs : Math.min(first * 2 ** (this.#failures - 1), longest)
    if (this.#now() - this.#attemptedAt < waitMs) return Promise.resolve()
    this.#underWay = this.#fetch().finally(() => {
      this.#underWay = undefined
    })
    return this.#underWay
  }

  async #fetch(): Promise<void> {
    const { fetchKeys, log } = this.#parts
    this.#attemptedAt = this.#now()
    try {
      this.#keys = await fetchKeys()
      this.#fetchedAt = this.#attemptedAt
      if (this.#failures > 0) log.info('the keys can be fetched again')
      this.#failures = 0
    } catch (error) {
      this.#failures += 1
      log.warn({ err: error }, 'the keys of an issuer of tokens cannot be fetched')
    }
  }
}
