import { createHash, createHmac, hash } from 'node:crypto'

/** One document that a change touched, as text; left out: there was none, or there is none any more. */
export interface LoggedItem {
  readonly kind: 'namespace' | 'flag' | 'segment'
  readonly key: string
  readonly before: string | undefined
  readonly after: string | undefined
}

/** What a change's hash is of, besides the hash before it. */
export interface ChangeRow {
  readonly namespaceKey: string
  readonly revision: number
  /** In microseconds since 1970. */
  readonly at: number
  readonly actor: string
  readonly source: string
  readonly comment: string
  readonly requestId: string
  /** JSON. */
  readonly details: string | null
  readonly itemsHash: Buffer
}

/** What the first change of a namespace follows. */
export const chainStart = Buffer.alloc(32)

/** SHA-256 over the items of a change, in their order. */
export class ItemsHash {
  readonly #hash = createHash('sha256')

  add({ kind, key, before = '', after = '' }: LoggedItem): void {
    this.addHashes({ kind, key, before: sha256(before), after: sha256(after) })
  }

  /** @param item with SHA-256 in place of its texts */
  addHashes(
    item: {
      readonly [K in 'kind' | 'key']: string
    } & { readonly [K in 'before' | 'after']: Buffer },
  ): void {
    this.#hash.update(`${item.kind}\n${item.key}\n`).update(item.before).update(item.after)
  }

  digest(): Buffer {
    return this.#hash.digest()
  }
}

/**
 * The keys of the chain: HMAC-SHA-256 with the current one, or plain SHA-256 where none is set. An
 * attacker with the database alone cannot make a hash that holds.
 */
export class ChainKeys {
  /** Of the current key; empty without one. */
  readonly currentId: string
  readonly #keys: ReadonlyMap<string, string>

  /** @param previous keys, which verify what was made with them */
  constructor(key?: string, previous: readonly string[] = []) {
    this.currentId = key === undefined ? '' : keyIdOf(key)
    const all = key === undefined ? previous : [key, ...previous]
    this.#keys = new Map(all.map((one) => [keyIdOf(one), one]))
  }

  /** The hash of a change; `undefined` when the key is not known. */
  hashOf(change: ChangeRow, previousHash: Buffer, keyId = this.currentId): Buffer | undefined {
    const { namespaceKey, revision, at, itemsHash } = change
    const texts = [change.actor, change.source, change.comment, change.requestId]
    const lines = [
      ...[keyId, previousHash.toString('hex'), namespaceKey, revision, at],
      ...[...texts, change.details ?? ''].map((text) => hash('sha256', text)),
      itemsHash.toString('hex'),
    ]
    return this.mac(lines.join('\n'), keyId)
  }

  /** HMAC-SHA-256 of a text, or its SHA-256 without a key; `undefined` when the key is not known. */
  mac(text: string, keyId = this.currentId): Buffer | undefined {
    if (keyId === '') return sha256(text)
    const key = this.#keys.get(keyId)
    return key === undefined ? undefined : createHmac('sha256', key).update(text).digest()
  }
}

/** Id of a key that does not reveal it. */
function keyIdOf(key: string): string {
  return hash('sha256', `svc-changes:${key}`, 'base64url').slice(0, 8)
}

function sha256(text: string): Buffer {
  return hash('sha256', text, 'buffer')
}
