import type { KeyObject } from 'node:crypto'
import type { Logger } from '@svc/runtime'
import { RemoteDocument } from '../../outbound/remote-document.ts'
import { keysUnavailable } from './refusals.ts'
import { fittingKeys, type KeySource, type SigningKey, type WantedKey } from './signing-keys.ts'

/** Interval of the refresh: a key that the issuer takes back is accepted so long. */
const refreshMs = 600_000

/** Minimum interval between fetches for unknown keys. */
const minIntervalMs = 30_000

/** Maximum wait of a request for keys; gateways wait two seconds for an answer in all. */
const maxWaitMs = 1000

export interface RemoteKeysOptions {
  /** Ends by itself in good time, with keys or an error. */
  readonly fetchKeys: () => Promise<readonly SigningKey[]>
  /** How long keys are used while new ones cannot be fetched, in milliseconds. */
  readonly maxStaleMs: number
  readonly log: Logger
  /** A monotonic clock, in milliseconds. */
  readonly now?: () => number
}

/**
 * The keys that an issuer publishes, fetched at intervals and when one is unknown. A token only selects
 * among them. However many requests come, the issuer is asked twice a minute at most, or every five
 * seconds while it fails.
 */
export class RemoteKeys implements KeySource {
  readonly #document: RemoteDocument<readonly SigningKey[]>

  constructor({ fetchKeys, maxStaleMs, log, now = () => performance.now() }: RemoteKeysOptions) {
    const fetch = logged(fetchKeys, log)
    this.#document = new RemoteDocument({ fetch, maxAgeMs: refreshMs + maxStaleMs, nowMs: now })
  }

  async find(wanted: WantedKey): Promise<KeyObject | undefined> {
    if (this.#fitting(wanted).length === 0) await this.#document.refresh(minIntervalMs, maxWaitMs)
    const [key, ...others] = this.#fitting(wanted)
    if (others.length > 0) return undefined
    if (key === undefined && !this.#document.isCurrent) throw keysUnavailable()
    return key
  }

  /** Fetches the keys if it is time to; to be called again and again. */
  async keepFresh(): Promise<void> {
    await this.#document.refresh(refreshMs)
  }

  #fitting(wanted: WantedKey): KeyObject[] {
    return fittingKeys(this.#document.value ?? [], wanted)
  }
}

/** Logs each failure, and the first success after one. */
function logged<T>(fetch: () => Promise<T>, log: Logger): () => Promise<T> {
  let hasFailed = false
  return async () => {
    try {
      const result = await fetch()
      if (hasFailed) log.info('the keys can be fetched again')
      hasFailed = false
      return result
    } catch (error) {
      hasFailed = true
      log.warn({ err: error }, 'the keys of an issuer of tokens cannot be fetched')
      throw error
    }
  }
}
