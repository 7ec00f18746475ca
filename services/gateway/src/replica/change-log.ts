/** What became different, by key: changed, made or deleted. */
interface Entry {
  readonly revision: number
  readonly flagKeys: readonly string[]
  readonly segmentKeys: readonly string[]
}

export interface LoggedChanges {
  readonly flagKeys: ReadonlySet<string>
  readonly segmentKeys: ReadonlySet<string>
}

/** Which flags and segments of a namespace changed when, as far back as there is room for it. */
export class ChangeLog {
  readonly #entries: Entry[] = []
  /** How many keys there are in the entries, and an entry itself counts as one. */
  #size = 0
  /** Every change after this revision is here. */
  #knownSince: number

  constructor(revision: number) {
    this.#knownSince = revision
  }

  /** @param maxSize how many keys to keep; those that changed first are forgotten */
  add(entry: Entry, maxSize: number): void {
    this.#entries.push(entry)
    this.#size += sizeOf(entry)
    while (this.#size > maxSize) {
      const oldest = this.#entries.shift()
      if (oldest === undefined) break
      this.#size -= sizeOf(oldest)
      this.#knownSince = oldest.revision
    }
  }

  /**
   * @returns what changed after a revision, the first to change first, or `undefined` when it is not
   *   known as one of this history: it is too long ago, was lost with a database, or was passed over here
   */
  since(revision: number): LoggedChanges | undefined {
    const index = this.#entries.findLastIndex((entry) => entry.revision <= revision)
    const known = this.#entries[index]?.revision ?? this.#knownSince
    if (revision !== known) return undefined
    const later = this.#entries.slice(index + 1)
    return {
      flagKeys: new Set(later.flatMap(({ flagKeys }) => flagKeys)),
      segmentKeys: new Set(later.flatMap(({ segmentKeys }) => segmentKeys)),
    }
  }
}

function sizeOf({ flagKeys, segmentKeys }: Entry): number {
  return 1 + flagKeys.length + segmentKeys.length
}
