import { createHmac, hash } from 'node:crypto'

/** What the first row of a chain follows. */
export const chainStart = Buffer.alloc(32)

/**
 * The keys of a chain: HMAC-SHA-256 with the current one, or plain SHA-256 where none is set. An
 * attacker with the database alone cannot make a MAC that holds.
 */
export class ChainKeys {
  /** Of the current key; empty without one. */
  readonly currentId: string
  /** Of the keys by which a MAC proves something. Without any key it is the empty one. */
  readonly provingIds: readonly string[]
  readonly #keys: ReadonlyMap<string, string>

  /** @param previous keys, which verify what was made with them */
  constructor(key?: string, previous: readonly string[] = []) {
    this.currentId = key === undefined ? '' : keyIdOf(key)
    const all = key === undefined ? previous : [key, ...previous]
    this.#keys = new Map(all.map((one) => [keyIdOf(one), one]))
    this.provingIds = key === undefined ? ['', ...this.#keys.keys()] : [...this.#keys.keys()]
  }

  /** HMAC-SHA-256 of a text, or its SHA-256 without a key; `undefined` when the key is not known. */
  mac(text: string, keyId = this.currentId): Buffer | undefined {
    if (keyId === '') return sha256(text)
    const key = this.#keys.get(keyId)
    return key === undefined ? undefined : createHmac('sha256', key).update(text).digest()
  }
}

/** A secret of the settings. */
interface Revealed {
  reveal(): string
}

/** The keys that the settings have. */
export function chainKeysOf(changes: {
  readonly key?: Revealed | undefined
  readonly previousKeys: readonly Revealed[]
}): ChainKeys {
  const { key, previousKeys } = changes
  return new ChainKeys(
    key?.reveal(),
    previousKeys.map((one) => one.reveal()),
  )
}

/** Id of a key that does not reveal it. */
function keyIdOf(key: string): string {
  return hash('sha256', `svc-changes:${key}`, 'base64url').slice(0, 8)
}

export function sha256(text: string): Buffer {
  return hash('sha256', text, 'buffer')
}
