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
export class SnapshotReader {
  #url: string
  readonly #headers: Readonly<Record<string, string>>
  #leaving = new AbortController()
  #reading: Promise<void> = Promise.resolve()
  #revision: number | undefined
  #snapshot: Snapshot | undefined
  /** The kinds of all events so far, over all connections. */
  readonly events: string[] = []
  /** What a stream must not do. */
  readonly faults: string[] = []

  constructor(url: string, headers: Readonly<Record<string, string>>) {
    this.#url = url
    this.#headers = headers
  }

  get revision(): number | undefined {
    return this.#revision
  }

  get snapshot(): Snapshot | undefined {
    return this.#snapshot
  }

  /** Goes on where it stopped, there or at another URL. */
  async connect(url = this.#url): Promise<Response> {
    this.#url = url
    this.#leaving = new AbortController()
    const known = this.#revision === undefined ? {} : { 'last-event-id': String(this.#revision) }
    const response = await fetch(this.#url, {
      headers: { ...this.#headers, ...known },
      signal: this.#leaving.signal,
    })
    this.#reading = this.#read(response).catch(() => {})
    return response
  }

  async disconnect(): Promise<void> {
    this.#leaving.abort()
    await this.#reading
  }

  /** Resolves when the stream has ended. */
  get ended(): Promise<void> {
    return this.#reading
  }

  async #read({ body }: Response): Promise<void> {
    const decoder = new TextDecoder()
    let text = ''
    for await (const chunk of body ?? []) {
      const more = decoder.decode(chunk, { stream: true })
      text += more
      // Within an event there is no line break for megabytes.
      if (!more.includes('\n')) continue
      const blocks = text.split('\n\n')
      text = blocks.pop() ?? ''
      for (const block of blocks) this.#take(block)
    }
  }

  #take(block: string): void {
    const field = (name: string) => new RegExp(`^${name}: (.*)$`, 'm').exec(block)?.[1]
    const data = field('data')
    const id = field('id')
    if (data === undefined) {
      if (id !== undefined && id !== String(this.#revision ?? id)) this.faults.push(`sent id ${id}`)
      return
    }
    const event = field('event') ?? ''
    this.events.push(event)
    if (event === 'snapshot') this.#snapshot = JSON.parse(data)
    else if (event === 'change') this.#change(JSON.parse(data), id)
    else this.faults.push(`an event of the kind "${event}"`)
    this.#revision = Number(id)
  }

  #change(
    { revision, fromRevision, flags, deletedFlagKeys }: Change,
    id: string | undefined,
  ): void {
    if (fromRevision !== this.#revision || revision <= fromRevision || id !== String(revision)) {
      this.faults.push(`${id}: from ${fromRevision} to ${revision} after ${this.#revision}`)
    }
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
