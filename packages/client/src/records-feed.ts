import { SvcError } from './api/error.ts'
import type { Feed } from './connection.ts'
import { EventParser, eventsOf } from './event-parser.ts'
import type { Http } from './http.ts'
import { readLines } from './lines.ts'
import { type RecordsChange, RecordsError, RecordsReader } from './records.ts'
import { Slices } from './slices.ts'
import { pause } from './timers.ts'
import type { Transfer } from './transfer.ts'

/** Wait before an answer that is older than what is here is asked for again, in milliseconds. */
const recheckMs = 1000

/** Maximum answers that one poll asks for, while other changes come in between. */
const maxAttempts = 3

/** What a stream has brought: a change, the revision that there is, or a sign of life. */
type StreamItem = RecordsChange | number | undefined

/** What a poll has got. */
interface Answer {
  /** `undefined` when what was here is all that there is. */
  readonly whole: RecordsChange | undefined
  /** Whether it is not to be taken when it is older. */
  readonly mayLag: boolean
  /** Whether the one before was older, too. */
  readonly mayBeOlder: boolean
}

export interface RecordsFeedOptions {
  readonly http: Http
  readonly namespace: string
  /** The largest revision that is waited for; 0 when none is. */
  readonly awaited: () => number
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
  /** Ends when what came before has been taken in or left out. */
  #turn: Promise<unknown> = Promise.resolve()

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
      const { http, namespace } = this.#options
      const awaited = this.#options.awaited()
      const response = await http.send(this.#path, {
        headers: {
          ...(before !== undefined && { 'if-none-match': `"${before}"` }),
          // The server waits a moment for it, so that it need not be asked again.
          ...(awaited > 0 && { 'x-svc-min-revision': `${namespace}:${awaited}` }),
        },
        signal: transfer.signal,
      })
      const whole =
        response.status === 304 ? undefined : await readWhole(bodyOf(response), transfer)
      const mayLag = response.headers.has('x-svc-data-age') || attempt === maxAttempts
      const answer = { whole, mayLag, mayBeOlder: attempt > 1 }
      const isSettled = await this.#inTurn(() => this.#takeAnswer(answer, before))
      if (isSettled) return
      await pause(recheckMs, transfer.signal)
    }
  }

  /** @param before what was here when it was asked for @returns whether nothing needs to be asked again */
  async #takeAnswer(
    { whole, mayLag, mayBeOlder }: Answer,
    before: number | undefined,
  ): Promise<boolean> {
    const held = this.#revision
    if (whole !== undefined && (held === undefined || whole.revision > held)) {
      await this.#take(whole)
      return true
    }
    if ((whole?.revision ?? before) === held) {
      this.#options.confirm()
      return true
    }
    // The stream has brought something newer meanwhile.
    if (whole === undefined) return true
    // Another gateway may lag behind, which says so when it knows. One that goes on is right.
    if (mayLag) throw lagging(whole.revision)
    if (!mayBeOlder || held !== before) return false
    await this.#take(whole)
    return true
  }

  async #readEvents(body: ReadableStream<Uint8Array>, transfer: Transfer): Promise<void> {
    const reader = new RecordsReader()
    /** What the piece that was read last has brought, in its order. */
    let items: StreamItem[] = []
    let change: RecordsChange | undefined
    /** The revision that this stream has said last. */
    let said: number | undefined
    const parser = new EventParser({
      data: (line, event) => {
        if (isKnown(event)) change = reader.push(line)
      },
      end: (event, id) => {
        if (isKnown(event) && change === undefined)
          throw new RecordsError('an event ends too early')
        items.push(change ?? revisionOf(id))
        change = undefined
      },
      comment: () => void items.push(undefined),
    })
    await readLines(
      body,
      new Slices(),
      (line) => parser.push(line),
      async () => {
        transfer.touch()
        const taken = items
        items = []
        for (const item of taken) {
          said = await this.#inTurn(() => this.#takeItem(item, said))
        }
      },
    )
  }

  /** @param said what the stream said before @returns what it has said now */
  async #takeItem(item: StreamItem, said: number | undefined): Promise<number | undefined> {
    const held = this.#revision
    if (typeof item === 'object') {
      await this.#takeEvent(item)
      return item.revision
    }
    const revision = item ?? said
    if (revision === undefined) return undefined
    if (revision === held) this.#options.confirm()
    // A poll may be ahead of its event, but not for as long as it takes to a sign of life.
    else if (item === undefined) throw other(revision, held)
    return revision
  }

  async #takeEvent(change: RecordsChange): Promise<void> {
    const { fromRevision, revision } = change
    const held = this.#revision
    if (fromRevision !== 0) {
      if (held === undefined || held < fromRevision) {
        throw new RecordsError(`revision ${fromRevision} has not come, of which this is a change`)
      }
      // A poll may have brought it before.
      if (revision <= held) return
    }
    await this.#take(change)
  }

  async #take(change: RecordsChange): Promise<void> {
    await this.#options.take(change)
    this.#revision = change.revision
  }

  /** What is here is compared and replaced in one turn: the stream and a poll may be at it at once. */
  async #inTurn<Result>(work: () => Promise<Result>): Promise<Result> {
    const done = this.#turn.then(work)
    this.#turn = done.catch(() => {})
    return await done
  }
}

function revisionOf(id = ''): number | undefined {
  return /^\d+$/.test(id) ? Number(id) : undefined
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

function other(said: number, held: number | undefined): SvcError {
  const message = `the stream is at revision ${said}, and revision ${held} is here`
  return new SvcError(message, { status: 0, code: 14 })
}
