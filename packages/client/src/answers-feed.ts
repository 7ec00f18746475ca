import { type Answers, readAnswers } from './answers.ts'
import { SvcError } from './api/error.ts'
import { spread } from './backoff.ts'
import type { Feed } from './connection.ts'
import { EventParser, eventsOf } from './event-parser.ts'
import { type Http, reasonOf } from './http.ts'
import { readLines } from './lines.ts'
import { Slices } from './slices.ts'
import type { FixedSubject } from './subject.ts'
import type { Transfer } from './transfer.ts'

/** Longest wait after an event, in milliseconds: all pages get it at once. */
const maxSpreadMs = 1000

/** Answers as they came. */
export interface Fetched {
  readonly subject: FixedSubject
  readonly answers: Answers
  /** What they were read of. */
  readonly text: string
}

export interface AnswersFeedOptions {
  readonly http: Http
  readonly namespace: string
  /** Whose answers to ask for. */
  readonly subject: () => FixedSubject
  /** Whether a revision is waited for, so that answers are asked for at once. */
  readonly isAwaited: () => boolean
  /** @returns whether they are shown: the subject may be another one by now */
  readonly take: (fetched: Fetched) => boolean
  /** The server has what was taken last. */
  readonly confirm: () => void
}

/** The answers of OFREP for one subject, and the stream that says when to ask again. */
export class AnswersFeed implements Feed {
  readonly #options: AnswersFeedOptions
  /** Of the answers that are shown. */
  #etag: string | undefined
  #revision: number | undefined
  /** That of the event that came last, until answers are asked for. */
  #wanted: number | undefined

  constructor(options: AnswersFeedOptions) {
    this.#options = options
  }

  async readStream(transfer: Transfer): Promise<void> {
    const { http, namespace } = this.#options
    if (this.#etag === undefined) await this.poll(transfer)
    const since = this.#revision === undefined ? '' : `?since=${this.#revision}`
    const path = `/ofrep/v1/namespaces/${encodeURIComponent(namespace)}/events${since}`
    const headers = { accept: 'text/event-stream' }
    const body = eventsOf(await http.send(path, { headers, signal: transfer.signal }))
    let isFirst = true
    const parser = new EventParser({
      data() {},
      end: (_event, id) => {
        this.#onEvent(id, transfer, isFirst)
        isFirst = false
      },
      comment: () => this.#confirm(),
    })
    await readLines(
      body,
      new Slices(),
      (line) => parser.push(line),
      () => transfer.touch(),
    )
  }

  async poll(transfer: Transfer): Promise<void> {
    await this.fetch(this.#options.subject(), transfer)
  }

  /** Asks for the answers for a subject. @param revision which they must have at least */
  async fetch(subject: FixedSubject, { signal }: Transfer, revision?: number): Promise<void> {
    const { http, namespace } = this.#options
    // Variant flags that are off have a default, too.
    const query = new URLSearchParams({ disabled: 'true' })
    if (revision !== undefined) query.set('flagConfigEtag', `${namespace}:${revision}`)
    const isSame = subject === this.#options.subject()
    const response = await http.send(`/ofrep/v1/evaluate/flags?${query}`, {
      method: 'POST',
      headers: {
        'x-svc-namespace': namespace,
        ...(isSame && this.#etag !== undefined && { 'if-none-match': this.#etag }),
      },
      body: subject.body,
      signal,
    })
    if (response.status === 304) return this.#options.confirm()
    const text = await readText(response)
    const answers = readAnswersOf(text)
    if (!this.#options.take({ subject, answers, text })) return
    this.#etag = response.headers.get('etag') ?? undefined
    this.#revision = answers.revision
    this.#options.confirm()
  }

  /** @param isFirst whether the stream was opened just now, as those of other pages were not */
  #onEvent(id: string | undefined, transfer: Transfer, isFirst: boolean): void {
    const revision = Number(id)
    if (revision === this.#revision) {
      this.#confirm()
      return
    }
    const isPending = this.#wanted !== undefined
    this.#wanted = revision
    if (isPending) return
    const waitMs = isFirst || this.#options.isAwaited() ? 0 : spread(maxSpreadMs / 2, 1)
    setTimeout(() => {
      const wanted = this.#wanted
      this.#wanted = undefined
      if (transfer.signal.aborted) return
      // Opened again, the stream says at once what is still to be asked for.
      this.fetch(this.#options.subject(), transfer, wanted).catch(() => transfer.end())
    }, waitMs)
  }

  #confirm(): void {
    if (this.#wanted === undefined) this.#options.confirm()
  }
}

async function readText(response: Response): Promise<string> {
  try {
    return await response.text()
  } catch (error) {
    throw broken(error)
  }
}

function readAnswersOf(text: string): Answers {
  try {
    return readAnswers(text)
  } catch (error) {
    throw broken(error)
  }
}

function broken(cause: unknown): SvcError {
  const message = `the answer cannot be read: ${reasonOf(cause)}`
  return new SvcError(message, { status: 0, code: 14, cause })
}
