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
export class RecordsReader {
  #url: string
  readonly #headers: Readonly<Record<string, string>>
  #leaving = new AbortController()
  #reading: Promise<void> = Promise.resolve()
  #revision: number | undefined
  #flags = new Map<string, Records['flags'][number]>()
  #segments = new Map<string, Keyed>()
  /** The kinds of all events so far, over all connections. */
  readonly events: string[] = []
  /** The data of all changes so far. */
  readonly changes: Records[] = []
  /** What a stream must not do. */
  readonly faults: string[] = []

  constructor(url: string, headers: Readonly<Record<string, string>>) {
    this.#url = url
    this.#headers = headers
  }

  get revision(): number | undefined {
    return this.#revision
  }

  get content() {
    return inOrder({ flags: [...this.#flags.values()], segments: [...this.#segments.values()] })
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
      // Within a line there is no line break for megabytes.
      if (!more.includes('\n')) continue
      const blocks = text.split('\n\n')
      text = blocks.pop() ?? ''
      for (const block of blocks) this.#take(block)
    }
  }

  #take(block: string): void {
    const valuesOf = (name: string) =>
      [...block.matchAll(new RegExp(`^${name}: (.*)$`, 'gm'))].map(([, value]) => value)
    const [id] = valuesOf('id')
    const data = valuesOf('data')
    if (data.length === 0) {
      if (id !== undefined && id !== String(this.#revision ?? id)) this.faults.push(`sent id ${id}`)
      return
    }
    const [event = ''] = valuesOf('event')
    this.events.push(event)
    // The lines of an event are joined as by every client of such streams.
    const records: Records = JSON.parse(data.join('\n'))
    if (id !== String(records.revision)) this.faults.push(`id ${id} with ${records.revision}`)
    if (event === 'change') this.#change(records)
    else if (event === 'whole') this.#replace(records)
    else this.faults.push(`an event of the kind "${event}"`)
    this.#revision = records.revision
  }

  #replace(records: Records): void {
    if (records.fromRevision !== 0) this.faults.push(`a whole from ${records.fromRevision}`)
    this.#flags = new Map()
    this.#segments = new Map()
    this.#put(records)
  }

  #change(records: Records): void {
    const { revision, fromRevision } = records
    if (fromRevision !== this.#revision || revision <= fromRevision) {
      this.faults.push(`from ${fromRevision} to ${revision} after ${this.#revision}`)
    }
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
