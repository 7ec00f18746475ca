import type { KeyObject } from 'node:crypto'
import { readSmallFile, unreadable } from '@svc/config'
import { AppError, every, type Logger, type Running, SettingsError } from '@svc/runtime'
import { openOutbound } from '../../outbound/outbound.ts'
import { RemoteDocument } from '../../outbound/remote-document.ts'
import type { Algorithm } from '../algorithms.ts'
import type { IssuerSettings } from './settings.ts'
import {
  fittingKeys,
  type KeySource,
  readKeySet,
  readPem,
  type SigningKey,
  type WantedKey,
} from './signing-keys.ts'

/** Maximum size of a key file: a certificate with many names; keys are far smaller. */
const maxFileBytes = 64 * 1024

/** Maximum size of a JWK set: a hundred keys with their certificates. */
const maxKeySetBytes = 512 * 1024

/** Interval of the refresh: a key that the issuer takes back is accepted so long. */
const refreshMs = 600_000

/** Interval of the check whether a refresh is due, in milliseconds. */
const lookMs = 1000

/** Minimum interval between fetches for unknown keys. */
const minIntervalMs = 30_000

/** Maximum wait of a request for keys; gateways wait two seconds for an answer in all. */
const maxWaitMs = 1000

/**
 * The keys of an issuer, from its file or its URL, kept up to date until they are closed. Nothing is
 * waited for: an unavailable issuer does not keep this service from starting.
 *
 * @param section the key of its settings
 * @throws {SettingsError} when its file holds no usable key
 */
export function openKeys(
  section: string,
  settings: IssuerSettings,
  accepted: readonly Algorithm[],
  log: Logger,
): KeySource & Running {
  const { jwksUrl, publicKeyFile = '', keysMaxStale } = settings
  if (jwksUrl === undefined) {
    const key = readKeyFile(`${section}.public_key_file`, publicKeyFile, accepted)
    return {
      // The key has no id, so the `kid` of a token is ignored.
      find: async ({ algorithm }) => fittingKeys([key], { algorithm, keyId: undefined })[0],
      close: async () => {},
    }
  }
  const closing = new AbortController()
  const { signal } = closing
  const fetch = openOutbound('jwt', settings, { maxBytes: maxKeySetBytes })
  const fetchKeys = async () => {
    const response = await fetch(jwksUrl, { headers: { accept: 'application/json' }, signal })
    if (response.status !== 200) throw new Error(`the status was ${response.status}, not 200`)
    return readKeySet(await response.text(), accepted)
  }
  const keys = new RemoteKeys(fetchKeys, keysMaxStale, log.child({ section }))
  const refreshing = every(lookMs, signal, log, () => keys.keepFresh())
  return {
    find: (wanted) => keys.find(wanted),
    async close() {
      closing.abort()
      await refreshing
    },
  }
}

function readKeyFile(key: string, path: string, accepted: readonly Algorithm[]): SigningKey {
  let fault: string
  try {
    const read = readPem(readSmallFile(path, maxFileBytes), accepted)
    if (typeof read !== 'string') return read
    fault = read
  } catch (error) {
    fault = unreadable(error)
  }
  throw new SettingsError([`${key} names a file that ${fault}.`])
}

/**
 * The keys that an issuer publishes, fetched at intervals and when one is unknown. A token only selects
 * among them. However many requests come, the issuer is asked twice a minute at most, or every five
 * seconds while it fails.
 */
export class RemoteKeys implements KeySource {
  readonly #document: RemoteDocument<readonly SigningKey[]>

  /** @param maxStaleMs how long keys are used while new ones cannot be fetched */
  constructor(
    fetchKeys: () => Promise<readonly SigningKey[]>,
    maxStaleMs: number,
    log: Logger,
    nowMs?: () => number,
  ) {
    const fetch = () =>
      fetchKeys().catch((error: unknown) => {
        log.warn({ err: error }, 'the keys of an issuer of tokens cannot be fetched')
        throw error
      })
    this.#document = new RemoteDocument({ fetch, maxAgeMs: refreshMs + maxStaleMs, nowMs })
  }

  async find(wanted: WantedKey): Promise<KeyObject | undefined> {
    if (this.#fitting(wanted).length === 0) await this.#document.refresh(minIntervalMs, maxWaitMs)
    const [key, ...others] = this.#fitting(wanted)
    if (others.length > 0) return undefined
    if (key !== undefined || this.#document.isCurrent) return key
    // A reason of its own, unlike that of an outage of auth: other credentials still work.
    const message = 'the keys of the issuer of this token are unavailable, try again'
    throw new AppError('unavailable', 'jwt_keys_unavailable', message)
  }

  /** Fetches the keys if it is time to; to be called again and again. */
  async keepFresh(): Promise<void> {
    await this.#document.refresh(refreshMs)
  }

  #fitting(wanted: WantedKey): KeyObject[] {
    return fittingKeys(this.#document.value ?? [], wanted)
  }
}
