import type { Queryable } from '@svc/database'

/** Maximum lists whose counts are kept: some 100 KB. */
const maxLists = 1000

interface Count {
  readonly revision: number
  readonly count: number
}

/** How many flags or segments namespaces have, each as of a revision: so a page need not count them. */
export class ListCounts {
  /** The ones that were read last at the end. */
  readonly #counts = new Map<string, Count>()

  get(list: string): Count | undefined {
    return this.#counts.get(list)
  }

  set(list: string, count: Count): void {
    this.#counts.delete(list)
    this.#counts.set(list, count)
    const [oldest] = this.#counts.keys()
    if (this.#counts.size > maxLists && oldest !== undefined) this.#counts.delete(oldest)
  }
}

const countsByDatabase = new WeakMap<Queryable, ListCounts>()

export function listCountsOf(db: Queryable): ListCounts {
  const known = countsByDatabase.get(db) ?? new ListCounts()
  countsByDatabase.set(db, known)
  return known
}
