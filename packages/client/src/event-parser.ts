import { SvcError } from './api/error.ts'

/** The body of a stream. @throws {SvcError} code 14 for an answer that is none: of a proxy, or another site */
export function eventsOf({ body, headers }: Response): ReadableStream<Uint8Array> {
  const type = headers.get('content-type') ?? 'nothing'
  if (body !== null && type.startsWith('text/event-stream')) return body
  void body?.cancel().catch(() => {})
  const message = `the answer is ${type} instead of events: check \`url\`, and what is in between`
  throw new SvcError(message, { status: 0, code: 14 })
}

/** What is told of the events of a stream. */
export interface EventListener {
  /** A line of the data of an event. @param event its type, `message` unless it has one */
  data(line: string, event: string): void
  /** The end of an event, or of an id that comes without data. */
  end(event: string, id: string | undefined): void
  /** A comment: the stream is alive. */
  comment(): void
}

/**
 * Reads server-sent events (HTML standard, section 9.2), and hands out their data a line at a time, so that
 * a large event need not be in memory as a whole.
 */
export class EventParser {
  readonly #listener: EventListener
  #event = 'message'
  #id: string | undefined
  #isEmpty = true

  constructor(listener: EventListener) {
    this.#listener = listener
  }

  /** @param line without its line break */
  push(line: string): void {
    if (line === '') this.#end()
    else if (line.startsWith('data:')) {
      this.#isEmpty = false
      this.#listener.data(afterColon(line, 5), this.#event)
    } else if (line.startsWith(':')) this.#listener.comment()
    else if (line.startsWith('id:')) {
      this.#isEmpty = false
      this.#id = afterColon(line, 3)
    } else if (line.startsWith('event:')) this.#event = afterColon(line, 6)
  }

  #end(): void {
    const [event, id, isEmpty] = [this.#event, this.#id, this.#isEmpty]
    this.#event = 'message'
    this.#id = undefined
    this.#isEmpty = true
    if (!isEmpty) this.#listener.end(event, id)
  }
}

function afterColon(line: string, start: number): string {
  return line.slice(line[start] === ' ' ? start + 1 : start)
}
