/** Reads the events of a stream whose ids are revisions, over several connections. */
export abstract class RevisionStream {
  #url: string
  readonly #headers: Readonly<Record<string, string>>
  #leaving = new AbortController()
  #reading: Promise<void> = Promise.resolve()
  #revision: number | undefined
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

  /** Takes an event of the next revision. @param data its lines, joined as by every client of such streams */
  protected abstract take(event: string, data: string, id: string | undefined): void

  /** @param change what it says of itself */
  protected checkChange(
    { revision, fromRevision }: { readonly revision: number; readonly fromRevision: number },
    id: string | undefined,
  ): void {
    if (fromRevision !== this.#revision || revision <= fromRevision || id !== String(revision)) {
      this.faults.push(`${id}: from ${fromRevision} to ${revision} after ${this.#revision}`)
    }
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
    this.take(event, data.join('\n'), id)
    this.#revision = Number(id)
  }
}
