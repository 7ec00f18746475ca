import { RevisionStream } from './revision-stream.ts'

/** A flag as snapshots have it, as far as the place of one goes. */
export interface SnapshotFlag {
  readonly key: string
  readonly createdAt: string
}

export interface Snapshot {
  readonly namespace: { readonly key: string }
  readonly flags: readonly SnapshotFlag[]
}

interface Change {
  readonly revision: number
  readonly fromRevision: number
  readonly flags: readonly SnapshotFlag[]
  readonly deletedFlagKeys: readonly string[]
}

/** What a client of the snapshot stream has to do: keep a namespace by its events, and nothing else. */
export class SnapshotReader extends RevisionStream {
  #snapshot: Snapshot | undefined

  get snapshot(): Snapshot | undefined {
    return this.#snapshot
  }

  protected take(event: string, data: string, id: string | undefined): void {
    if (event === 'snapshot') this.#snapshot = JSON.parse(data)
    else if (event === 'change') this.#change(JSON.parse(data), id)
    else this.faults.push(`an event of the kind "${event}"`)
  }

  #change(change: Change, id: string | undefined): void {
    this.checkChange(change, id)
    const { flags, deletedFlagKeys } = change
    const { namespace, flags: before = [] } = this.#snapshot ?? { namespace: { key: '' } }
    const after = before.filter(({ key }) => !deletedFlagKeys.includes(key))
    for (const flag of flags) place(after, flag)
    this.#snapshot = { namespace, flags: after }
  }
}

/** In its old place when it is the same flag, else by the time of its creation. */
function place(flags: SnapshotFlag[], flag: SnapshotFlag): void {
  const index = flags.findIndex(({ key }) => key === flag.key)
  if (flags[index]?.createdAt === flag.createdAt) {
    flags[index] = flag
    return
  }
  if (index >= 0) flags.splice(index, 1)
  const next = flags.findIndex(({ createdAt }) => instant(createdAt) > instant(flag.createdAt))
  flags.splice(next < 0 ? flags.length : next, 0, flag)
}

/** Sorts as text: of the fraction, trailing zeros are left out. */
function instant(createdAt: string): string {
  return createdAt.replace('Z', '')
}
