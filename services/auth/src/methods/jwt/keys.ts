import { readSmallFile, unreadable } from '@svc/config'
import { every, type Logger, type Running, SettingsError } from '@svc/runtime'
import { openOutbound } from '../../outbound/outbound.ts'
import { type Algorithm, acceptedAlgorithms } from '../algorithms.ts'
import { RemoteKeys } from './remote-keys.ts'
import type { IssuerSettings } from './settings.ts'
import {
  fittingKeys,
  type KeySource,
  readKeySet,
  readPem,
  type SigningKey,
} from './signing-keys.ts'

/** Maximum size of a key file: a certificate with many names; keys are far smaller. */
const maxFileBytes = 64 * 1024

/** Maximum size of a JWK set: a hundred keys with their certificates. */
const maxKeySetBytes = 512 * 1024

/** Interval of the check whether a refresh is due, in milliseconds. */
const lookMs = 1000

/** Keys that are kept up to date until they are closed. */
export type OpenKeys = KeySource & Running

/**
 * The keys of an issuer, from its file or its URL. Nothing is waited for: an unavailable issuer does not
 * keep this service from starting.
 *
 * @param section the key of its settings
 * @throws {SettingsError} when its file holds no usable key
 */
export function openKeys(section: string, settings: IssuerSettings, log: Logger): OpenKeys {
  const { jwksUrl, publicKeyFile, keysMaxStale } = settings
  const accepted = acceptedAlgorithms(settings.algorithms)
  if (jwksUrl === undefined) {
    const key = readKeyFile(`${section}.public_key_file`, publicKeyFile ?? '', accepted)
    return {
      // The key has no id, so the `kid` of a token is ignored.
      find: async ({ algorithm }) => fittingKeys([key], { algorithm, keyId: undefined })[0],
      close: async () => {},
    }
  }
  const closing = new AbortController()
  const keys = new RemoteKeys({
    fetchKeys: keysAt(jwksUrl, settings, accepted, closing.signal),
    maxStaleMs: keysMaxStale,
    log: log.child({ section }),
  })
  const refreshing = every(lookMs, closing.signal, log, () => keys.keepFresh())
  return {
    find: (wanted) => keys.find(wanted),
    async close() {
      closing.abort()
      await refreshing
    },
  }
}

function keysAt(
  url: string,
  settings: IssuerSettings,
  accepted: readonly Algorithm[],
  signal: AbortSignal,
) {
  const fetch = openOutbound(settings, { maxBytes: maxKeySetBytes })
  return async (): Promise<readonly SigningKey[]> => {
    const response = await fetch(url, { headers: { accept: 'application/json' }, signal })
    if (response.status !== 200) throw new Error(`the status was ${response.status}, not 200`)
    return readKeySet(await response.text(), accepted)
  }
}

function readKeyFile(key: string, path: string, accepted: readonly Algorithm[]): SigningKey {
  const read = readPem(readText(key, path), accepted)
  if (typeof read === 'string') throw new SettingsError([`${key} names a file that ${read}.`])
  return read
}

function readText(key: string, path: string): string {
  try {
    return readSmallFile(path, maxFileBytes)
  } catch (error) {
    throw new SettingsError([`${key} names a file that ${unreadable(error)}.`])
  }
}
