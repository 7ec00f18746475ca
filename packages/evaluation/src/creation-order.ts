interface Ordered {
  readonly createdAt: number
  readonly key: string
}

/**
 * Compares by time of creation, and at the same time by key: the order must not depend on what came first,
 * which differs from gateway to gateway.
 */
export function byCreation(a: Ordered, b: Ordered): number {
  if (a.createdAt !== b.createdAt) return a.createdAt - b.createdAt
  if (a.key === b.key) return 0
  return a.key < b.key ? -1 : 1
}

/**
 * Items {@link byCreation}, each key once. Kept in sorted runs, of which each is more than twice as long as the
 * next: 100,000 items that come in any order are never sorted all at once, and those that come in order are one
 * run.
 */
export class CreationOrder<T extends Ordered> {
  #runs: T[][] = []
  /** What was handed out last; it must not change any more. */
  #list: readonly T[] | undefined

  list(): readonly T[] {
    if (this.#list === undefined) {
      while (this.#runs.length > 1) this.#mergeLast()
      this.#list = this.#runs[0] ?? []
    }
    return this.#list
  }

  add(item: T): void {
    this.#copyList()
    const last = this.#runs.at(-1)
    const end = last?.at(-1)
    if (last === undefined || end === undefined || byCreation(end, item) > 0) {
      this.#runs.push([item])
    } else last.push(item)
    while (this.#lengthAt(-2) < 2 * this.#lengthAt(-1)) this.#mergeLast()
  }

  /** Puts an item in the place of another of the same time and key. */
  replace(item: T, by: T): void {
    this.#change(item, (run, index) => {
      run[index] = by
    })
  }

  delete(item: T): void {
    this.#change(item, (run, index) => run.splice(index, 1))
  }

  #change(item: T, change: (run: T[], index: number) => void): void {
    this.#copyList()
    for (const run of this.#runs) {
      const index = placeOf(run, item)
      if (run[index] === item) change(run, index)
    }
  }

  #copyList(): void {
    if (this.#list === undefined) return
    this.#runs = [[...this.#list]]
    this.#list = undefined
  }

  #lengthAt(index: number): number {
    return this.#runs.at(index)?.length ?? Number.POSITIVE_INFINITY
  }

  #mergeLast(): void {
    const later = this.#runs.pop() ?? []
    const earlier = this.#runs.pop() ?? []
    this.#runs.push(merge(earlier, later))
  }
}

/** The index of the first item that is not before this one. */
function placeOf(run: readonly Ordered[], item: Ordered): number {
  let low = 0
  for (let high = run.length; low < high; ) {
    const middle = (low + high) >>> 1
    if (byCreation(run[middle] ?? item, item) < 0) low = middle + 1
    else high = middle
  }
  return low
}

function merge<T extends Ordered>(earlier: readonly T[], later: readonly T[]): T[] {
  const merged: T[] = []
  let index = 0
  for (const item of later) {
    for (let next = earlier[index]; next !== undefined; next = earlier[++index]) {
      if (byCreation(next, item) > 0) break
      merged.push(next)
    }
    merged.push(item)
  }
  for (; index < earlier.length; index++) merged.push(earlier[index] as T)
  return merged
}
