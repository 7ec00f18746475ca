import type { ChainKeys } from '@svc/audit'
import type { Database, Queryable } from '@svc/database'
import type { CountedType, NewEvent } from './event.ts'
import { type CountedEvent, EventCounts } from './event-counts.ts'
import { appendEvents } from './log.store.ts'

/** The log of events of this process. */
export class EventLog {
  readonly keys: ChainKeys
  readonly #counts = new EventCounts()

  constructor(keys: ChainKeys) {
    this.keys = keys
  }

  /** Logs events with what they record: the last thing that its transaction does. */
  append(tx: Queryable, events: readonly NewEvent[]): Promise<void> {
    return appendEvents(tx, this.keys, events)
  }

  /** Counts an event, which is logged within a minute. A process that crashes loses what it has counted. */
  count(event: CountedEvent, times?: number): void {
    this.#counts.note(event, times)
  }

  /** The same for events that are not told apart. */
  countOther(type: CountedType, times: number): void {
    this.#counts.noteOther(type, times)
  }

  /** Logs what was counted. */
  flush(db: Database): Promise<void> {
    return this.#counts.take((events) => db.transaction((tx) => this.append(tx, events)))
  }
}
