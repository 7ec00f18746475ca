import { SvcError } from './api/error.ts'
import type { Feed } from './connection.ts'
import { EventParser, eventsOf } from './event-parser.ts'
import type { Http } from './http.ts'
import { readLines } from './lines.ts'
import { type RecordsChange, RecordsError, RecordsReader } from './records.ts'
import { Slices } from './slices.ts'
import type { Transfer } from './transfer.ts'

/** Wait before an answer that is older than what is here is asked for again, in milliseconds. */
const recheckMs = 1000

export interface RecordsFeedOptions {
  readonly http: Http
  readonly namespace: string
  /** Takes in a change; resolves when it is visible. */
  readonly take: (change: RecordsChange) => Promise<void>
  /** The server has what was taken last. */
  readonly confirm: () => void
}

/** The records of a namespace: their stream, and what there is now. */
export class RecordsFeed implements Feed {
  readonly #options: RecordsFeedOptions
  readonly #path: string
  /** The revision that the server has given; `undefined` when the whole is needed. */
  #revision: number | undefined

  constructor(options: RecordsFeedOptions) {
    this.#options = options
    this.#path = `/internal/v1/evaluation/records/namespace/${encodeURIComponent(options.namespace)}`
  }

  async readStream(transfer: Transfer): Promise<void> {
    const before = this.#revision
    const response = await this.#options.http.send(`${this.#path}/stream`, {
      headers: {
        accept: 'text/event-stream',
        ...(before !== undefined && { 'last-event-id': String(before) }),
      },
      signal: transfer.signal,
    })
    try {
      await this.#readEvents(eventsOf(response), transfer)
    } catch (error) {
      if (error instanceof RecordsError) this.#revision = undefined
      throw error
    }
  }

  async poll(transfer: Transfer): Promise<void> {
    for (let attempt = 1; ; attempt++) {
      const before = this.#revision
      const { http, confirm } = this.#options
      const response = await http.send(this.#path, {
        headers: { ...(before !== undefined && { 'if-none-match': `"${before}"` }) },
        signal: transfer.signal,
      })
      if (response.status === 304) return confirm()
      const whole = await readWhole(bodyOf(response), transfer)
      const revision = this.#revision
      if (revision === undefined || whole.revision > revision) return await this.#take(whole)
      if (whole.revision === revision) return confirm()
      // Another gateway may lag behind, which says so when it knows. One that goes on is right.
      if (response.headers.has('x-svc-data-age')) throw lagging(whole.revision)
      if (attempt > 1) return await this.#take(whole)
      await new Promise((resolve) => setTimeout(resolve, recheckMs))
    }
  }

  async #readEvents(body: ReadableStream<Uint8Array>, transfer: Transfer): Promise<void> {
    const reader = new RecordsReader()
    /** What the piece that was read last has brought, in its order; without a change it is a sign of life. */
    let arrived: (RecordsChange | undefined)[] = []
    let change: RecordsChange | undefined
    /** Whether the client is known to have all that there is. */
    let isCurrent = false
    const parser = new EventParser({
      data: (line, event) => {
        if (isKnown(event)) change = reader.push(line)
      },
      end: (event, id) => {
        if (isKnown(event) && change === undefined)
          throw new RecordsError('an event ends too early')
        if (change === undefined && id === String(this.#revision)) isCurrent = true
        arrived.push(change)
        change = undefined
      },
      comment: () => void arrived.push(undefined),
    })
    await readLines(
      body,
      new Slices(),
      (line) => parser.push(line),
      async () => {
        transfer.touch()
        const changes = arrived
        arrived = []
        for (const change of changes) {
          if (change !== undefined) {
            await this.#takeEvent(change)
            isCurrent = true
          } else if (isCurrent) this.#options.confirm()
        }
      },
    )
  }

  async #takeEvent(change: RecordsChange): Promise<void> {
    const { fromRevision, revision } = change
    const held = this.#revision
    if (fromRevision === 0) return await this.#take(change)
    if (held === undefined || held < fromRevision) {
      throw new RecordsError(`revision ${fromRevision} has not come, of which this is a change`)
    }
    // A poll may have brought it before.
    if (revision > held) await this.#take(change)
  }

  async #take(change: RecordsChange): Promise<void> {
    await this.#options.take(change)
    this.#revision = change.revision
  }
}

function isKnown(event: string): boolean {
  return event === 'whole' || event === 'change'
}

async function readWhole(
  body: ReadableStream<Uint8Array>,
  transfer: Transfer,
): Promise<RecordsChange> {
  const reader = new RecordsReader()
  let whole: RecordsChange | undefined
  await readLines(
    body,
    new Slices(),
    (line) => {
      whole = reader.push(line) ?? whole
    },
    () => transfer.touch(),
  )
  if (whole?.fromRevision === 0) return whole
  throw new RecordsError('the answer ends too early')
}

function bodyOf({ body }: Response): ReadableStream<Uint8Array> {
  if (body === null) throw new RecordsError('the answer is empty')
  return body
}

function lagging(revision: number): SvcError {
  const message = `the server lags behind: it has revision ${revision} only`
  return new SvcError(message, { status: 0, code: 14 })
}
