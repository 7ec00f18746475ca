import { createHash, hash } from 'node:crypto'
import { type ChainKeys, sha256 } from './chain-keys.ts'

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

/** All that the hash of a change is of. */
export function textOfChange(change: ChangeRow, previousHash: Buffer, keyId: string): string {
  const { namespaceKey, revision, at, itemsHash } = change
  const texts = [change.actor, change.source, change.comment, change.requestId]
  const lines = [
    ...[keyId, previousHash.toString('hex'), namespaceKey, revision, at],
    ...[...texts, change.details ?? ''].map((text) => hash('sha256', text)),
    itemsHash.toString('hex'),
  ]
  return lines.join('\n')
}

/** The hash of a change; `undefined` when the key is not known. */
export function hashOfChange(
  keys: ChainKeys,
  change: ChangeRow,
  previousHash: Buffer,
  keyId = keys.currentId,
): Buffer | undefined {
  return keys.mac(textOfChange(change, previousHash, keyId), keyId)
}
