import { RevisionStream } from './revision-stream.ts'

interface Keyed {
  readonly key: string
}

/** `Records` as JSON. */
export interface Records {
  readonly revision: number
  readonly fromRevision: number
  readonly flags: readonly (Keyed & { readonly created: number })[]
  readonly segments: readonly Keyed[]
  readonly deletedFlagKeys: readonly string[]
  readonly deletedSegmentKeys: readonly string[]
}

/** What a client of the records stream has to do: keep a namespace by its events, and nothing else. */
export class RecordsReader extends RevisionStream {
  #flags = new Map<string, Records['flags'][number]>()
  #segments = new Map<string, Keyed>()
  /** The data of all changes so far. */
  readonly changes: Records[] = []

  get content() {
    return inOrder({ flags: [...this.#flags.values()], segments: [...this.#segments.values()] })
  }

  protected take(event: string, data: string, id: string | undefined): void {
    const records: Records = JSON.parse(data)
    if (id !== String(records.revision)) this.faults.push(`id ${id} with ${records.revision}`)
    if (event === 'change') this.#change(records, id)
    else if (event === 'whole') this.#replace(records)
    else this.faults.push(`an event of the kind "${event}"`)
  }

  #replace(records: Records): void {
    if (records.fromRevision !== 0) this.faults.push(`a whole from ${records.fromRevision}`)
    this.#flags = new Map()
    this.#segments = new Map()
    this.#put(records)
  }

  #change(records: Records, id: string | undefined): void {
    this.checkChange(records, id)
    this.changes.push(records)
    this.#put(records)
  }

  #put({ flags, segments, deletedFlagKeys, deletedSegmentKeys }: Records): void {
    for (const key of deletedFlagKeys) this.#flags.delete(key)
    for (const key of deletedSegmentKeys) this.#segments.delete(key)
    for (const flag of flags) this.#flags.set(flag.key, flag)
    for (const segment of segments) this.#segments.set(segment.key, segment)
  }
}

/** What two copies have in common that are of the same revision. */
export function inOrder({ flags, segments }: Pick<Records, 'flags' | 'segments'>) {
  const byKey = (a: Keyed, b: Keyed) => (a.key < b.key ? -1 : 1)
  return {
    flags: flags.toSorted((a, b) => a.created - b.created || byKey(a, b)),
    segments: segments.toSorted(byKey),
  }
}
