import { Announcements } from './announcements.ts'
import { type Answers, readAnswers } from './answers.ts'
import { SvcError } from './api/error.ts'
import type { Feed } from './connection.ts'
import { EventParser, eventsOf } from './event-parser.ts'
import { type Http, reasonOf } from './http.ts'
import { readLines } from './lines.ts'
import { Slices } from './slices.ts'
import type { FixedSubject } from './subject.ts'
import type { Transfer } from './transfer.ts'

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
  /** As the answers have it; nothing where the server does not say. */
  #given: number | undefined
  /** The latest one that they are known to be of. */
  #revision: number | undefined
  /** Of the stream that is open. */
  #announcements: Announcements | undefined
  /** Number of the last request, and of the one that what is shown was confirmed by. */
  #asked = 0
  #shown = 0

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
    const announcements = this.#announce(transfer)
    this.#announcements = announcements
    const parser = new EventParser({
      data() {},
      end: (_event, id) => {
        if (id !== undefined) announcements.announce(Number(id))
      },
      comment: () => announcements.beat(),
    })
    try {
      await readLines(
        body,
        new Slices(),
        (line) => parser.push(line),
        () => transfer.touch(),
      )
    } finally {
      announcements.end()
      this.#announcements = undefined
    }
  }

  async poll(transfer: Transfer): Promise<void> {
    await this.fetch(this.#options.subject(), transfer)
  }

  /** Asks for the answers for a subject, and shows them. @returns whether they are shown */
  async fetch(subject: FixedSubject, transfer: Transfer): Promise<boolean> {
    if (!(await this.#ask(subject, transfer))) return false
    if (this.#announcements === undefined) this.#options.confirm()
    else this.#announcements.settle()
    return true
  }

  #announce(stream: Transfer): Announcements {
    const { subject, isAwaited, confirm } = this.#options
    return new Announcements({
      ask: (revision, transfer) => this.#ask(subject(), transfer, revision),
      shown: () => this.#revision,
      isAwaited,
      confirm,
      onFailure: () => stream.end(),
    })
  }

  /**
   * @param revision which the answers must have at least
   * @returns whether what is shown now is what the server answered
   */
  async #ask(subject: FixedSubject, { signal }: Transfer, revision?: number): Promise<boolean> {
    const { http, namespace, take } = this.#options
    const number = ++this.#asked
    // Variant flags that are off have a default, too.
    const query = new URLSearchParams({ disabled: 'true' })
    if (revision !== undefined) query.set('flagConfigEtag', `${namespace}:${revision}`)
    const response = await http.send(`/ofrep/v1/evaluate/flags?${query}`, {
      method: 'POST',
      headers: {
        'x-svc-namespace': namespace,
        ...(this.#isOfShown(subject) &&
          this.#etag !== undefined && { 'if-none-match': this.#etag }),
      },
      body: subject.body,
      signal,
    })
    const isKnown = response.status === 304
    const text = isKnown ? '' : await readText(response)
    // Answers for the same subject that were asked for later are here already. Their revisions do not tell:
    // those of a restored database are lower.
    if (this.#isOfShown(subject) ? number < this.#shown : isKnown) return false
    if (!isKnown) {
      const answers = readAnswersOf(text, response.headers)
      if (!take({ subject, answers, text })) return false
      this.#etag = response.headers.get('etag') ?? undefined
      this.#given = answers.revision
      // Gateways of 1.1 do not say to callers who can have no ticket.
      this.#revision = answers.revision ?? revision
    } else if (revision !== undefined) {
      // The tag is of one revision, and the gateway waited for this one: what is shown is at least as new. Of a
      // namespace that was deleted, answers have 0, and one stream has the number of that and the next one 0.
      this.#revision = Math.max(this.#given ?? this.#revision ?? 0, revision)
    }
    this.#shown = number
    return true
  }

  #isOfShown(subject: FixedSubject): boolean {
    return subject === this.#options.subject()
  }
}

async function readText(response: Response): Promise<string> {
  try {
    return await response.text()
  } catch (error) {
    throw broken(error)
  }
}

/** The text says nothing of the revision to callers who can have no ticket; the header does. */
function readAnswersOf(text: string, headers: Headers): Answers {
  const [, digits] = /:(\d{1,15})$/.exec(headers.get('x-svc-revision') ?? '') ?? []
  try {
    const answers = readAnswers(text)
    return digits === undefined ? answers : { ...answers, revision: Number(digits) }
  } catch (error) {
    throw broken(error)
  }
}

function broken(cause: unknown): SvcError {
  const message = `the answer cannot be read: ${reasonOf(cause)}`
  return new SvcError(message, { status: 0, code: 14, cause })
}
