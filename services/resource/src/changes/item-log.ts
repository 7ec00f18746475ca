import { ItemsHash, type LoggedItem } from '@svc/audit'
import type { Queryable } from '@svc/database'

/** Collects the items of one change, and what their hash and their size come to. */
export class ItemLog {
  readonly #namespaceKey: string
  readonly #hash = new ItemsHash()
  #waiting: LoggedItem[] = []
  #written = 0
  #bytes = 0
  #deleted = 0
  #others = 0

  constructor(namespaceKey: string) {
    this.#namespaceKey = namespaceKey
  }

  /** Size of the texts. */
  get bytes(): number {
    return this.#bytes
  }

  /** A change that changes nothing has none. */
  get hasOnlyDeletions(): boolean {
    return this.#deleted > 0 && this.#others === 0
  }

  /** What differs between before and after is one; what does not is none. */
  add(item: LoggedItem): void {
    const { before, after } = item
    if (before === after) return
    if (after === undefined) this.#deleted += 1
    else this.#others += 1
    this.#hash.add(item)
    this.#bytes += Buffer.byteLength(before ?? '') + Buffer.byteLength(after ?? '')
    this.#waiting.push(item)
  }

  /** The hash of all items; the last thing that is asked of it. */
  digest(): Buffer {
    return this.#hash.digest()
  }

  /** The values of {@link itemColumns} for what has been added since. */
  take(): readonly unknown[] {
    const items = this.#waiting
    const first = this.#written
    this.#waiting = []
    this.#written += items.length
    return [
      first,
      items.map(({ kind }) => kind),
      items.map(({ key }) => key),
      items.map(({ before = null }) => before),
      items.map(({ after = null }) => after),
    ]
  }

  /** Writes what was added, and keeps no more of it than the hash. */
  async write(tx: Queryable, revision: number): Promise<void> {
    await tx.query(insertItems(1), [this.#namespaceKey, revision, ...this.take()])
  }
}

/**
 * SQL that inserts items. Its parameters are the namespace, the revision, and from a later place on those
 * of {@link ItemLog.take}.
 *
 * @param first the number of the parameter of the namespace
 * @param rest that of the first of {@link ItemLog.take}
 */
export function insertItems(first: number, rest = first + 2): string {
  return `
    INSERT INTO resource.change_items (namespace_key, revision, place, kind, key, before, after)
    SELECT $${first}, $${first + 1}, $${rest} + item.place - 1, item.kind, item.key,
           item.before::json, item.after::json
      FROM unnest($${rest + 1}::text[], $${rest + 2}::text[], $${rest + 3}::text[],
                  $${rest + 4}::text[])
           WITH ORDINALITY AS item (kind, key, before, after, place)`
}
